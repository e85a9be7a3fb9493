import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';

/** Tells Temporal that this attempt is alive. @throws when there is no answer, or another attempt counts */
export type RenewLease = (taskToken: Uint8Array) => Promise<void>;

const RENEW_MS = 2_000;
/** Shorter than the heartbeat timeout of every step: Temporal starts another attempt only after this one has ended. */
const LEASE_MS = 8_000;

/**
 * Runs `work` while Temporal answers: the heartbeats of the SDK do not tell whether they arrive, and an attempt that
 * goes on without Temporal would work against the one that replaces it.
 */
export async function whileLeased<T>(renew: RenewLease, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const lost = new AbortController();
  const signal = AbortSignal.any([cancellationSignal(), lost.signal]);
  const renewal = keepRenewing(() => renew(activityInfo().taskToken), ended.signal).catch((err: unknown) => {
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

/** @throws unavailable when the lease is over */
async function keepRenewing(renew: () => Promise<void>, ended: AbortSignal): Promise<void> {
  let renewedAt = Date.now();
  while (!ended.aborted) {
    const at = Date.now();
    const renewed = await renew().then(
      () => true,
      () => false,
    );
    if (renewed) renewedAt = at;
    else if (Date.now() - renewedAt > LEASE_MS - RENEW_MS) throw leaseLost();
    await sleep(RENEW_MS, undefined, { signal: ended }).catch(() => undefined);
  }
}

function leaseLost(): SlipwayError {
  const publicMessage = 'Temporal does not answer: this attempt ends before another one may start';
  return new SlipwayError('unavailable', publicMessage, { publicMessage });
}
