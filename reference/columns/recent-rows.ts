import { withCapacity } from './growing-array.js';

export type RecentRows = ReturnType<typeof createRecentRows>;

/** The rows in the order in which they were set, as far back as the oldest index needs. */
export function createRecentRows() {
  /** The row set at time `first + index`. */
  let log = new Int32Array(0);
  let first = 0;
  let now = 0;

  return {
    add(row: number): void {
      log = withCapacity(log, now - first + 1);
      log[now - first] = row;
      now += 1;
    },
    /** Counts the rows that were ever set. */
    now: () => now,
    /** Rows set since then; a row that was set twice is listed twice. */
    since: (time: number): Int32Array => log.subarray(time - first, now - first),
    /** Drops the rows set before this time, which no reader needs. */
    forget(time: number): void {
      if (time <= first) return;
      log = log.slice(time - first, now - first);
      first = time;
    },
    sizeBytes: () => log.byteLength,
  };
}
