import { performance } from 'node:perf_hooks';

/**
 * The order in which they begin: subscriptions whose receiver takes deliveries, other drains that have a place of the
 * worker, others that are not woken yet.
 */
const RANKS = ['delivering', 'started', 'waiting'] as const;
export type Rank = (typeof RANKS)[number];

/** Spreads over time what many subscriptions would begin at once, so that it does not hold up those that deliver. */
export interface Pace {
  /** Resolves when the caller may begin, before all of a later rank, or when the signal is aborted. */
  turn: (options: { rank: Rank; signal: AbortSignal }) => Promise<void>;
}

/** Share of its time that the event loop is busy at most while those begin that do not deliver. */
const MOST_BUSY = 0.25;
const LOOK_MS = 10;
/** A few cost little, and their events are expected soon. */
const AT_ONCE = 5;
/** After so long without one that waits, one more may begin at once. */
const RESTED_MS = 100;
/** However busy the process is, one begins after this time. */
const MOST_WAIT_MS = 200;

/**
 * @param usage `busy` is the share of its time, 0 to 1, that the event loop was busy since the last `start`
 * @param most so many begin at once after a time in which none waited
 */
export function createPace(usage = createUsage(), now = (): number => performance.now(), most = AT_ONCE): Pace {
  const queues: Record<Rank, Set<() => void>> = { delivering: new Set(), started: new Set(), waiting: new Set() };
  let timer: NodeJS.Timeout | undefined;
  let begunAt = -Infinity;
  let atOnce = most;
  let restedAt = now();

  /** Whether the caller may begin without a wait for others. */
  function mayBeginAtOnce(): boolean {
    if (timer !== undefined) return false;
    const rested = Math.floor((now() - restedAt) / RESTED_MS);
    restedAt += rested * RESTED_MS;
    atOnce = Math.min(most, atOnce + rested);
    if (atOnce === 0) return false;
    atOnce -= 1;
    return true;
  }

  function look(): void {
    const rank = RANKS.find((each) => queues[each].size > 0);
    if (rank === undefined) {
      clearInterval(timer);
      timer = undefined;
      restedAt = now();
      return;
    }
    const waitedMs = now() - begunAt;
    const isBusy = rank !== 'delivering' && waitedMs < MOST_WAIT_MS && usage.busy() > MOST_BUSY;
    if (waitedMs < LOOK_MS || isBusy) return;
    begunAt = now();
    usage.start();
    const [begin] = queues[rank];
    begin?.();
  }

  return {
    async turn({ rank, signal }) {
      if (signal.aborted || mayBeginAtOnce()) return;
      const queue = queues[rank];
      await new Promise<void>((resolve) => {
        const begin = (): void => {
          queue.delete(begin);
          signal.removeEventListener('abort', begin);
          resolve();
        };
        signal.addEventListener('abort', begin);
        queue.add(begin);
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
