import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';

/** Ends early, without an error, when `signal` aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** Tells Temporal that this attempt is alive. @throws when there is no answer, or another attempt counts */
export type RenewLease = (taskToken: Uint8Array) => Promise<void>;

/** Without a timeout Temporal starts no other attempt, and the lease may be of any length. */
const ANY_TIMEOUT_MS = 10_000;
/** A renewal has an answer within this time, or none. */
export const LEASE_ANSWER_MS = 2_000;

/**
 * The times of a lease, from the heartbeat timeout after which Temporal starts another attempt. An open run of an earlier
 * release has a shorter one.
 */
export function leaseTimes(heartbeatTimeoutMs: number) {
  return {
    /** Between two renewals. Each deployment that serves costs Temporal one, so they are rare. */
    renewMs: (heartbeatTimeoutMs * 2) / 3,
    /** Between two tries of a renewal that had no answer. */
    retryMs: heartbeatTimeoutMs / 12,
    /** Shorter than the timeout: Temporal starts another attempt only after this one has ended. */
    leaseMs: heartbeatTimeoutMs * 0.9,
  };
}

/**
 * Runs `work` while Temporal answers: the heartbeats of the SDK do not tell whether they arrive, and an attempt that
 * goes on without Temporal would work against the one that replaces it.
 */
export async function whileLeased<T>(
  renew: RenewLease,
  work: (signal: AbortSignal) => Promise<T>,
  { wait = pause }: { wait?: typeof pause } = {},
): Promise<T> {
  const ended = new AbortController();
  const lost = new AbortController();
  const signal = AbortSignal.any([cancellationSignal(), lost.signal]);
  const { taskToken, heartbeatTimeoutMs = ANY_TIMEOUT_MS } = activityInfo();
  const renewal = keepRenewing({
    ...leaseTimes(heartbeatTimeoutMs),
    renew: () => renew(taskToken),
    wait,
    ended: ended.signal,
  }).catch((err: unknown) => {
    lost.abort(err);
  });
  try {
    return await work(signal);
  } catch (err) {
    // The work may have wrapped the reason of its abort.
    throw lost.signal.aborted && !cancellationSignal().aborted ? lost.signal.reason : err;
  } finally {
    ended.abort();
    await renewal;
  }
}

interface Renewal extends ReturnType<typeof leaseTimes> {
  renew: () => Promise<void>;
  wait: typeof pause;
  ended: AbortSignal;
}

/** @throws unavailable before the lease is over */
async function keepRenewing({ renew, wait, ended, renewMs, retryMs, leaseMs }: Renewal): Promise<void> {
  let renewedAt = Date.now();
  while (!ended.aborted) {
    const at = Date.now();
    const renewed = await renew().then(
      () => true,
      () => false,
    );
    if (renewed) renewedAt = at;
    // Another try would have its answer too late.
    else if (Date.now() + retryMs + LEASE_ANSWER_MS - renewedAt > leaseMs) throw leaseLost();
    await wait(renewed ? renewMs : retryMs, ended);
  }
}

/**
 * For an effect that cannot be repeated: an attempt that was stopped, or cut off from Temporal, goes on afterwards as if it
 * still counted.
 * @throws unavailable unless Temporal says that this attempt is the one that counts
 */
export async function requireAttempt(renew: RenewLease): Promise<void> {
  await renew(activityInfo().taskToken).catch((cause: unknown) => {
    const publicMessage = 'Temporal does not say that this attempt counts';
    throw new SlipwayError('unavailable', publicMessage, { publicMessage, cause });
  });
}

function leaseLost(): SlipwayError {
  const publicMessage = 'Temporal does not answer: this attempt ends before another one may start';
  return new SlipwayError('unavailable', publicMessage, { publicMessage });
}
