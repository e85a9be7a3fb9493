import type { LiveSegment } from './live-segment.js';
import type { Segment } from './segment.js';
import type { Pace } from './steps.js';
import { DEFAULT_PACE, finish } from './steps.js';

export interface MergeSchedulerOptions extends Pace {
  segments: () => readonly LiveSegment[];
  /** Merges the live rows of several segments into one, in steps. */
  merging: (sources: readonly LiveSegment[]) => Generator<void, Segment>;
  /** Replaces the sources by the merged segment. */
  replace: (segment: Segment, sources: readonly LiveSegment[]) => void;
}

export interface MergeScheduler {
  /** Whether a running merge reads it. */
  isSource(segment: LiveSegment): boolean;
  /** Starts all merges that are due. Small ones complete at once, others in slices between other tasks. */
  start(): void;
  /** Completes all merges now. */
  settle(): void;
}

/** Number of segments of similar size that are merged into one. */
const FAN_OUT = 8;
/** Merges of up to this many rows run at once: they take a millisecond or two. */
const SMALL = 512;
/** A segment is rewritten when a smaller share of it is live. */
const LEAST_LIVE_SHARE = 0.7;
/** Above this number of segments writers wait for merges; it is far below the number of slots. */
const MOST_SEGMENTS = 128;

interface Merge {
  sources: readonly LiveSegment[];
  rows: number;
  steps: Generator<void, Segment>;
}

/** Keeps the number of segments small. The smallest running merge goes first, so a long one delays no later one. */
export function createMergeScheduler({ segments, merging, replace, ...pace }: MergeSchedulerOptions): MergeScheduler {
  const { defer, now, sliceMs } = { ...DEFAULT_PACE, ...pace };
  let underWay: readonly Merge[] = []; // smallest first
  let deferred = false;

  const isSource = (each: LiveSegment) => underWay.some(({ sources }) => sources.includes(each));

  function begin(sources: readonly LiveSegment[]): void {
    const rows = sources.reduce((sum, { live }) => sum + live, 0);
    const merge = { sources, rows, steps: merging(sources) };
    underWay = [...underWay, merge].sort((one, other) => one.rows - other.rows);
  }

  function end(merge: Merge, segment: Segment): void {
    underWay = underWay.filter((each) => each !== merge);
    replace(segment, merge.sources);
  }

  function startDue(): void {
    for (;;) {
      const sources = dueForMerge(segments().filter((each) => !isSource(each)));
      if (sources.length > 0) begin(sources);
      const [smallest] = underWay;
      const isUrgent = smallest && (smallest.rows <= SMALL || segments().length > MOST_SEGMENTS);
      if (isUrgent) end(smallest, finish(smallest.steps));
      else if (sources.length === 0) return;
    }
  }

  /** Runs at least one step, until time is up. */
  function advance(until: number): void {
    do {
      const [smallest] = underWay;
      if (smallest === undefined) return;
      const step = smallest.steps.next();
      if (!step.done) continue;
      end(smallest, step.value);
      startDue();
    } while (now() < until);
  }

  function resumeLater(): void {
    if (deferred || underWay.length === 0) return;
    deferred = true;
    defer(() => {
      deferred = false;
      advance(now() + sliceMs);
      resumeLater();
    });
  }

  return {
    isSource,
    start() {
      startDue();
      resumeLater();
    },
    settle() {
      startDue();
      advance(Infinity);
    },
  };
}

/** Returns all segments of the smallest full size class, or else one with too small a live share. */
function dueForMerge(segments: readonly LiveSegment[]): readonly LiveSegment[] {
  const classes = new Map<number, LiveSegment[]>();
  for (const each of segments) {
    const size = Math.floor(Math.log2(each.live) / Math.log2(FAN_OUT));
    classes.set(size, [...(classes.get(size) ?? []), each]);
  }
  const [full] = [...classes].filter(([, members]) => members.length >= FAN_OUT).sort(([one], [other]) => one - other);
  return full?.[1] ?? segments.filter(({ live, segment }) => live < segment.rows.length * LEAST_LIVE_SHARE).slice(0, 1);
}
