import { performance } from 'node:perf_hooks';

/** Spreads over time what many subscriptions would begin at once, so that it does not hold up those that deliver. */
export interface Pace {
  /** Resolves when the caller may begin, before all that are not urgent if it is, or when the signal is aborted. */
  turn: (options: { isUrgent: boolean; signal: AbortSignal }) => Promise<void>;
}

/** Share of its time that the event loop is busy at most while others begin. */
const MOST_BUSY = 0.4;
const LOOK_MS = 10;
/** However busy the process is, one begins after this time. */
const MOST_WAIT_MS = 200;

/** @param usage `busy` is the share of its time, 0 to 1, that the event loop was busy since the last `start` */
export function createPace(usage = createUsage(), now = (): number => performance.now()): Pace {
  const [urgent, others] = [new Set<() => void>(), new Set<() => void>()];
  let timer: NodeJS.Timeout | undefined;
  let begunAt = -Infinity;

  function look(): void {
    const [begin] = urgent.size > 0 ? urgent : others;
    if (begin === undefined) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const waitedMs = now() - begunAt;
    if (waitedMs < MOST_WAIT_MS && (waitedMs < LOOK_MS || usage.busy() > MOST_BUSY)) return;
    begunAt = now();
    usage.start();
    begin();
  }

  return {
    async turn({ isUrgent, signal }) {
      if (signal.aborted) return;
      const waiting = isUrgent ? urgent : others;
      await new Promise<void>((resolve) => {
        const begin = (): void => {
          waiting.delete(begin);
          signal.removeEventListener('abort', begin);
          resolve();
        };
        signal.addEventListener('abort', begin);
        waiting.add(begin);
        timer ??= setInterval(look, LOOK_MS);
        look();
      });
    },
  };
}

function createUsage() {
  let from = performance.eventLoopUtilization();
  return {
    start: () => void (from = performance.eventLoopUtilization()),
    busy: () => performance.eventLoopUtilization(from).utilization,
  };
}
