export interface WatchHeartbeatOptions {
  now: () => Date;
  /** The clock that all evaluators share. */
  sharedTime: () => Promise<Date>;
  heartbeatMs: number;
  /** Returns the next deadline of a watch. Milliseconds. */
  nextDue: () => number;
  /** Returns the time of the newest entry of the log in milliseconds; `NaN`, which no deadline is before, without one. */
  logTime: () => number;
  /** Appends a heartbeat, unless `isObsolete` holds once every entry before it is applied. */
  append: (isObsolete: () => boolean) => Promise<void>;
}

/** The shared clock of an evaluator, and the heartbeats that move the log's time past a deadline. */
export function createWatchHeartbeat(options: WatchHeartbeatOptions) {
  const { now, sharedTime, heartbeatMs, nextDue, logTime, append } = options;
  /** Difference of the shared clock to the clock of this process. */
  let offsetMs = 0;
  let checkedAt = -Infinity;
  const sharedNow = (): Date => new Date(now().getTime() + offsetMs);

  return {
    sharedNow,
    /**
     * Appends a heartbeat when a deadline has passed and the log has no later entry, so that the log itself proves that
     * nothing happened.
     */
    proveSilence: async (): Promise<void> => {
      const due = nextDue();
      // The shared clock is read only when one of the two clocks passed the deadline: clocks drift slowly.
      const isSoon = due < now().getTime() || due < sharedNow().getTime();
      if (!isSoon || due < logTime() || performance.now() - checkedAt < heartbeatMs) return;
      checkedAt = performance.now();
      offsetMs = (await sharedTime()).getTime() - now().getTime();
      if (due >= sharedNow().getTime()) return;
      await append(() => nextDue() < logTime());
    },
  };
}
