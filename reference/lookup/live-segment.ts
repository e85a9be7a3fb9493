import type { Segment } from './segment.js';

/** A segment in use. Rows that changed since it was made are found elsewhere, or nowhere. */
export interface LiveSegment {
  segment: Segment;
  /** Marks the rows that are live in it: 1 to 255. */
  slot: number;
  /** How many of its rows that is. */
  live: number;
}
