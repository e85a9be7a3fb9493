/** Keeps the number of starts within any one second at or under a limit. Times are in milliseconds of one clock. */
export interface Pace {
  /** From when on the next start is allowed. */
  nextAt(): number;
  started(now: number): void;
}

const WINDOW_MS = 1_000;

/**
 * A ring of the last starts: the one `perSecond` starts ago must be a whole second old. No burst can exceed it.
 * @param since others may have started as many until then
 */
export function createPace(perSecond: number, since = -Infinity): Pace {
  const starts = new Float64Array(perSecond).fill(since);
  let oldest = 0;
  return {
    nextAt: () => (starts[oldest] ?? -Infinity) + WINDOW_MS,
    started(now) {
      starts[oldest] = now;
      oldest = (oldest + 1) % starts.length;
    },
  };
}
