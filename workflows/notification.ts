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
import type { Turn } from '../activities/notifications/drain.js';
import type { NotificationActivities } from '../activities/notifications/notification.js';
import { type SubscriptionRef, WAKE_SIGNAL } from '../notifications/kinds/subscription-ref.js';
import { phase } from './phases.js';

const { drainNotices } = proxyActivities<NotificationActivities>(phase('drain', 'send notices'));

/** There is an event for the subscription, or its settings changed. */
export const wakeSignal = defineSignal(WAKE_SIGNAL);

/** New events are looked for this often, even when nobody says that there are any. */
const LOOK_MS = 15 * 60_000;
const AFTER_FAILURE_MS = 5_000;

/** Keeps one subscription told: what was sent and what is due stands in the database, this holds the time of the next try. */
export async function notification(ref: SubscriptionRef): Promise<void> {
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true), { description: 'looks for new events now' });
  for (;;) {
    woken = false;
    const turn = await drainOrWait(ref);
    if (turn.ended) return;
    if (workflowInfo().continueAsNewSuggested) break;
    if (turn.more) continue;
    const waitMs = turn.nextDueAt === undefined ? LOOK_MS : Math.max(0, Date.parse(turn.nextDueAt) - Date.now());
    setCurrentDetails(turn.nextDueAt === undefined ? 'waits for events' : `next try at ${turn.nextDueAt}`);
    await condition(() => woken, Math.min(LOOK_MS, waitMs));
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof notification>(ref); // it drains at once, so no wake is lost
}

/** A store that is away for longer than the activity tries is no end: the next turn may find it. */
async function drainOrWait(ref: SubscriptionRef): Promise<Turn> {
  setCurrentDetails('sends notices');
  try {
    return await drainNotices(ref);
  } catch (err) {
    if (isCancellation(err)) throw err;
    await sleep(AFTER_FAILURE_MS);
    return { ended: false, more: true };
  }
}
