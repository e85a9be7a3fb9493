export interface WatchHeartbeatOptions {
  now: () => Date;
  heartbeatMs: number;
  /** Returns the next deadline of a watch. Milliseconds. */
  nextDue: () => number;
  /** Returns the time of the newest entry of the log in milliseconds; `NaN`, which no deadline is before, without one. */
  logTime: () => number;
  /** Appends a heartbeat, unless `isObsolete` holds once every entry before it is applied. */
  append: (isObsolete: () => boolean) => Promise<void>;
}

/**
 * Appends a heartbeat when a deadline has passed and the log has no later entry, so that the log itself proves that
 * nothing happened.
 */
export function createWatchHeartbeat({ now, heartbeatMs, nextDue, logTime, append }: WatchHeartbeatOptions) {
  let appendedAt = -Infinity;
  return async function proveSilence(): Promise<void> {
    const due = nextDue();
    if (due >= now().getTime() || due < logTime() || performance.now() - appendedAt < heartbeatMs) return;
    appendedAt = performance.now();
    await append(() => nextDue() < logTime());
  };
}
