import type { Segment } from './segment.js';

/** A segment in use. Rows that changed since it was made are in later segments, or deleted. */
export interface LiveSegment {
  segment: Segment;
  /** Marks the rows whose current version is in it: 1 to 255. */
  slot: number;
  /** Number of those rows. */
  live: number;
}
