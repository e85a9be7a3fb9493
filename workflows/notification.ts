import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { DrainResult } from '../activities/notifications/drain.js';
import type { NotificationActivities } from '../activities/notifications/notification.js';
import { type SubscriptionRef, WAKE_SIGNAL } from '../notifications/kinds/subscription-ref.js';
import { phase } from './phases.js';

const { drainNotices } = proxyActivities<NotificationActivities>(phase('drain', 'dispatch deliveries'));

/** Signals a new event for the subscription, or changed settings. */
export const wakeSignal = defineSignal(WAKE_SIGNAL);

/** Interval of reading the streams without a signal, so that a worker that starts never has to read many days of them. */
const POLL_MS = 24 * 3_600_000;
const AFTER_FAILURE_MS = 5_000;

/** Delivers the events of one subscription. Its state is in the database; the workflow is the timer of the next drain. */
export async function notification(ref: SubscriptionRef): Promise<void> {
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true), { description: 'reads new events now' });
  for (;;) {
    woken = false;
    const result = await drainOrWait(ref);
    if (result.ended) return;
    if (workflowInfo().continueAsNewSuggested) break;
    if (result.more) continue;
    const waitMs = result.nextDueAt === undefined ? POLL_MS : Math.max(0, Date.parse(result.nextDueAt) - Date.now());
    setCurrentDetails(result.nextDueAt === undefined ? 'waits for events' : `next try at ${result.nextDueAt}`);
    await condition(() => woken, Math.min(POLL_MS, waitMs));
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof notification>(ref); // it drains first, so no signal is lost
}

/** Waits when a store does not answer for longer than the activity retries: the next drain may reach it. */
async function drainOrWait(ref: SubscriptionRef): Promise<DrainResult> {
  setCurrentDetails('dispatches deliveries');
  try {
    return await drainNotices(ref);
  } catch (err) {
    if (isCancellation(err)) throw err;
    await sleep(AFTER_FAILURE_MS);
    return { ended: false, more: true };
  }
}
