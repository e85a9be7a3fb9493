/** A limit of starts within any window. Times are in milliseconds of one clock. */
export interface Pace {
  /** When the next start is allowed. */
  nextAt(): number;
  started(now: number): void;
}

export interface PaceOptions {
  windowMs?: number;
  /** The full limit may have been used up to this time. */
  since?: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Keeps a ring of the last starts: the start `limit` places back must be a whole window old, so no burst exceeds it. */
export function createPace(limit: number, { windowMs = SECOND_MS, since = -Infinity }: PaceOptions = {}): Pace {
  const starts = new Float64Array(limit).fill(since);
  let oldest = 0;
  return {
    nextAt: () => (starts[oldest] ?? -Infinity) + windowMs,
    started(now) {
      starts[oldest] = now;
      oldest = (oldest + 1) % starts.length;
    },
  };
}

/**
 * Spreads a limit per minute over its seconds.
 * @param earlier times of starts that count
 */
export function createMinutePace(perMinute: number, earlier: readonly number[]): Pace {
  const each = [createPace(perMinute, { windowMs: MINUTE_MS }), createPace(Math.ceil(perMinute / 60))];
  const both = joinPaces(each);
  for (const at of earlier.slice(-perMinute)) both.started(at);
  return both;
}

/** Combines paces: a start needs the permission of all of them. */
export const joinPaces = (paces: readonly Pace[]): Pace => ({
  nextAt: () => Math.max(...paces.map((pace) => pace.nextAt())),
  started: (now) => {
    for (const pace of paces) pace.started(now);
  },
});
