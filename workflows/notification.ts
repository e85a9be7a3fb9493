import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { DrainResult } from '../activities/notifications/drain.js';
import type { DrainSummary } from '../activities/notifications/drain-summary.js';
import type { NotificationActivities } from '../activities/notifications/notification.js';
import { type SubscriptionRef, WAKE_SIGNAL } from '../notifications/kinds/subscription-ref.js';
import type { SubscriptionHealth } from '../notifications/kinds/subscription-status.js';
import { deliveryDetails } from './delivery-details.js';
import { failureOf } from './failure.js';
import { phase } from './phases.js';
import { SEARCH_ATTRIBUTES } from './search-attributes.js';

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
  const display = createDisplay();
  for (;;) {
    woken = false;
    const result = await drainOrWait(ref, display);
    if (result.ended) return;
    display.drained(result);
    if (workflowInfo().continueAsNewSuggested) break;
    if (result.more) continue;
    const waitMs = result.nextDueAt === undefined ? POLL_MS : Math.max(0, Date.parse(result.nextDueAt) - Date.now());
    display.show(result.nextDueAt === undefined ? 'waits for events' : 'waits for the next attempt');
    await condition(() => woken, Math.min(POLL_MS, waitMs));
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof notification>(ref); // it drains first, so no signal is lost
}

type Display = ReturnType<typeof createDisplay>;

/** Waits when a store does not answer for longer than the activity retries: the next drain may reach it. */
async function drainOrWait(ref: SubscriptionRef, display: Display): Promise<DrainResult> {
  display.show('dispatches deliveries');
  try {
    return await drainNotices(ref);
  } catch (err) {
    if (isCancellation(err)) throw err;
    display.failed(err);
    await sleep(AFTER_FAILURE_MS);
    return { ended: false, more: true };
  }
}

/** Shows operators the end of the last drain: in the current details, and its health as a search attribute. */
function createDisplay() {
  let last: { summary?: DrainSummary; nextDueAt?: string } = {};
  let failure = '';

  return {
    show: (now: string): void => setCurrentDetails(deliveryDetails({ ...last, now: `${now}${failure}` })),
    drained({ summary, nextDueAt }: DrainResult): void {
      if (summary === undefined) return;
      last = { summary, ...(nextDueAt !== undefined && { nextDueAt }) };
      failure = '';
      recordHealth(summary.health);
    },
    failed(err: unknown): void {
      const { reason, message } = failureOf(err);
      failure = `; the last try failed: ${reason}, ${message}`;
      recordHealth('failing');
    },
  };
}

/** Records a health that differs from the recorded one, which runs carry over to the run that continues them. */
function recordHealth(health: SubscriptionHealth): void {
  const key = SEARCH_ATTRIBUTES.health;
  if (workflowInfo().typedSearchAttributes.get(key) === health) return;
  if (!patched('health-attribute')) return; // 0.1.0 recorded none
  upsertSearchAttributes([{ key, value: health }]);
}
