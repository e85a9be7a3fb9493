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

/** @param busySince share of its time, 0 to 1, that the event loop was busy since `start()` */
export function createPace(usage = createUsage(), now = (): number => performance.now()): Pace {
  const [urgent, others]: [Waiting, Waiting] = [[], []];
  let timer: NodeJS.Timeout | undefined;
  let begunAt = -Infinity;

  function look(): void {
    const waitedMs = now() - begunAt;
    if (waitedMs < MOST_WAIT_MS && (waitedMs < LOOK_MS || usage.busy() > MOST_BUSY)) return;
    const begin = urgent.shift() ?? others.shift();
    if (begin === undefined) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    begunAt = now();
    usage.start();
    begin();
  }

  return {
    async turn({ isUrgent, signal }) {
      if (signal.aborted) return;
      const { promise, resolve } = withResolvers();
      signal.addEventListener('abort', resolve);
      (isUrgent ? urgent : others).push(resolve);
      timer ??= setInterval(look, LOOK_MS);
      look();
      await promise;
      signal.removeEventListener('abort', resolve);
    },
  };
}

type Waiting = (() => void)[];

function withResolvers() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

function createUsage() {
  let from = performance.eventLoopUtilization();
  return {
    start: () => void (from = performance.eventLoopUtilization()),
    busy: () => performance.eventLoopUtilization(from).utilization,
  };
}
