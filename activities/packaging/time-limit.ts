import { runFailed } from '../../platform/kinds/reasons.js';

export interface TimeLimit {
  /** When the first attempt of the first step began. */
  startedAt: Date;
  limitSeconds: number;
  /** The cancellation of the activity. */
  signal: AbortSignal;
  now: () => Date;
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `work` until the packaging reaches its limit. The signal that `work` gets aborts at the limit and on
 * cancellation; the caller gets its error at once, also while `work` waits for something without a signal.
 * @throws run_failed, Timeout
 */
export async function withinLimit<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { startedAt, limitSeconds, signal, now } = limit;
  const leftMs = startedAt.getTime() + limitSeconds * 1_000 - now().getTime();
  if (leftMs <= 0) throw timedOut(limitSeconds);
  const reached = new AbortController();
  const stopped = new Promise<never>((_resolve, reject) => {
    reached.signal.addEventListener('abort', () => reject(timedOut(limitSeconds)), { once: true });
  });
  const timer = setTimeout(() => reached.abort(), Math.min(leftMs, LONGEST_TIMER_MS));
  try {
    return await Promise.race([stopped, work(AbortSignal.any([signal, reached.signal]))]);
  } finally {
    clearTimeout(timer);
  }
}

function timedOut(limitSeconds: number): Error {
  return runFailed({
    reason: 'Timeout',
    message: `the packaging took longer than ${limitSeconds} s and was stopped: raise SLIPWAY_PACKAGING_TIMEOUT or use a base image that has the packages`,
  });
}
