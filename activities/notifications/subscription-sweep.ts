import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { LostWakeUps } from '../../notifications/stores/lost-wake-ups.js';
import type { LoopItem } from '../../platform/kinds/loop-items.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import type { ReadStreamEnd } from '../../notifications/stores/stream-ends.js';
import {
  hasOpenWork,
  type SubscriptionProgress,
  type SubscriptionProgressStore,
} from '../../notifications/stores/subscription-progress.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface SubscriptionSweepDeps {
  subscriptions: Pick<ResourceStore<Subscription>, 'list'>;
  progress: Pick<SubscriptionProgressStore, 'all'>;
  readStreamEnd: ReadStreamEnd;
  lostWakeUps: LostWakeUps;
  /** Returns the subscriptions whose workflow is running. */
  listNotified: () => AsyncIterable<string>;
  /** Returns the subscriptions whose workflow failed or was ended from outside since then. */
  listEnded: (since: Date) => AsyncIterable<{ id: string; runId: string }>;
  wakeSubscription: (id: string) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  monotonic?: () => number;
  now?: () => Date;
}

/**
 * A comparison reads all subscriptions, which a worker takes up when it starts anyway. It finds what no other look does: a
 * workflow that was deleted.
 */
const COMPARED_EVERY_MS = 24 * 3_600_000;

/** Temporal may list a workflow some seconds after its end. */
const LISTED_WITHIN_MS = 60_000;

/** Concurrent reads of the ends of streams. */
const AT_ONCE = 16;

/** Workflows that one round starts: thousands of drains at once would hold up those that have events. */
const MOST_STARTED = 200;

/** Wakes subscriptions whose wake-up or whose workflow was lost: without one, nothing delivers their events. */
export function createSubscriptionSweep(deps: SubscriptionSweepDeps) {
  const { subscriptions, progress, readStreamEnd, lostWakeUps, listNotified, listEnded, wakeSubscription } = deps;
  const { monotonic = () => performance.now(), now = () => new Date() } = deps;
  let comparedAt = monotonic();
  let lookedAt = now().getTime();
  /** Runs of the last look. */
  let ended: ReadonlySet<string> = new Set();
  /** Subscriptions with something due whose workflow did not run when they were compared, in order. */
  let unstarted: Set<string> = new Set();

  async function wakeAgain(id: string): Promise<{ subscriptions_woken: number }> {
    unstarted.delete(id);
    await wakeSubscription(id);
    await lostWakeUps.remove(id);
    return { subscriptions_woken: 1 };
  }

  async function findDue(): Promise<Set<string>> {
    const saved = new Map<string, SubscriptionProgress>();
    for await (const [id, each] of progress.all()) saved.set(id, each);
    const ends = new Map<string, Promise<number>>();
    const readEnd = (stream: string): Promise<number> => {
      const end = ends.get(stream) ?? readStreamEnd(stream);
      ends.set(stream, end);
      return end;
    };
    const all = await subscriptions.list();
    const due = await mapSome(all, AT_ONCE, (each) => isDue(each, saved.get(each.id), readEnd));
    return new Set(all.flatMap(({ id }, index) => (due[index] ? [id] : [])).sort());
  }

  /** Notes the wake-ups that are missing since a workflow ended, each once although two looks overlap. */
  async function noteEnded(): Promise<void> {
    const at = now().getTime();
    const found = new Set<string>();
    for await (const { id, runId } of listEnded(new Date(lookedAt - LISTED_WITHIN_MS))) {
      if (!ended.has(runId)) await lostWakeUps.add(id);
      found.add(runId);
    }
    [ended, lookedAt] = [found, at];
  }

  return async function* sweepSubscriptions(): AsyncGenerator<LoopItem> {
    const at = monotonic();
    if (at - comparedAt >= COMPARED_EVERY_MS) {
      unstarted = await findDue();
      comparedAt = at;
    }
    // Events start some of those that are left meanwhile.
    if (unstarted.size > 0) for await (const id of listNotified()) unstarted.delete(id);
    await noteEnded();
    const names = new Set([...[...unstarted].slice(0, MOST_STARTED), ...(await lostWakeUps.list())]);
    // One that is not reached in this turn stays for the next.
    for (const id of [...names].sort()) yield { name: id, act: () => wakeAgain(id) };
  };
}

/** Whether a subscription needs its workflow: one that waits for the first entry of its streams does not. */
async function isDue(
  subscription: Subscription,
  saved: SubscriptionProgress | undefined,
  readEnd: ReadStreamEnd,
): Promise<boolean> {
  const { state, starts_at } = subscription.status;
  if (state !== 'active') return state === 'unverified'; // its receiver is probed until it answers
  if (hasOpenWork(subscription, saved)) return true;
  for (const [stream, { position }] of Object.entries({ ...starts_at, ...saved?.sources })) {
    if ((await readEnd(stream)) > position) return true;
  }
  return false;
}
