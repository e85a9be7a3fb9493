const TICK_MS = 250;
/** A tick that is late by so much means that the process did not run: it was stopped, or its host was suspended. */
const PAUSE_MS = 2_000;

/** Notices that the process did not run for a while. @param now milliseconds that also pass meanwhile */
export function watchPauses(now: () => number) {
  let tickedAt = now();
  let endedAt = -Infinity;
  function tick(): void {
    const at = now();
    if (at - tickedAt > TICK_MS + PAUSE_MS) endedAt = at;
    tickedAt = at;
  }
  const timer = setInterval(tick, TICK_MS).unref();
  return {
    /** When the last pause ended; a request may come before the next tick. */
    lastEnd(): number {
      tick();
      return endedAt;
    },
    close: (): void => clearInterval(timer),
  };
}
