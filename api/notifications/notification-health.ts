import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Watch } from '../../notifications/kinds/watch.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { WatchStates } from '../../notifications/stores/watch-states.js';

export interface NotificationHealthOptions {
  subscriptions: ResourceStore<Subscription>;
  watches: ResourceStore<Watch>;
  states: WatchStates;
  now?: () => number;
}

/** Everybody who asks within this time gets the same answer: it takes many reads. */
const KEPT_MS = 5_000;
/** An evaluator that has said nothing for so long is not there. */
const SILENT_MS = 30_000;

interface Counted {
  /** `unknown`: it cannot be said just now. */
  state: 'ready' | 'degraded' | 'unknown';
  [state: string]: string | number;
}

/** How subscriptions and watches are, in numbers: which ones they are is for those who may read them. */
export function createNotificationHealth({
  subscriptions,
  watches,
  states,
  now = Date.now,
}: NotificationHealthOptions) {
  let newest: { at: number; answer: Promise<{ subscriptions: Counted; watches: Counted }> } | undefined;

  async function countSubscriptions(): Promise<Counted> {
    const all = (await subscriptions.list()).map(({ status }) => status).filter(({ state }) => state !== 'removed');
    const count = (takes: (status: Subscription['status']) => boolean): number => all.filter(takes).length;
    const counts = {
      active: count(({ state }) => state === 'active'),
      paused: count(({ state }) => state === 'paused'),
      unverified: count(({ state }) => state === 'unverified'),
      disabled: count(({ state }) => state === 'disabled'),
      failing: count(({ state, failing, fault }) => state === 'active' && (failing ?? fault) !== undefined),
      backlog: count(({ backlog }) => backlog !== undefined),
    };
    const isWell = counts.disabled + counts.failing + counts.backlog === 0;
    return { state: isWell ? 'ready' : 'degraded', ...counts };
  }

  async function countWatches(): Promise<Counted> {
    const all = (await watches.list()).filter(({ status }) => status.state !== 'removed');
    const active = all.filter(({ status }) => status.state === 'active');
    const counts = { watching: 0, arming: 0, unknown: 0, paused: all.length - active.length };
    for (const said of await Promise.all(active.map(({ id }) => states.get(id)))) {
      const isSilent = said !== undefined && now() - Date.parse(said.updated_at) > SILENT_MS;
      counts[isSilent ? 'unknown' : (said?.state ?? 'arming')] += 1;
    }
    const { unknown, ...rest } = counts;
    return { state: unknown > 0 ? 'unknown' : 'ready', unknown, ...rest };
  }

  return function readNoticeHealth() {
    if (newest === undefined || now() - newest.at > KEPT_MS) {
      const unknown = (): Counted => ({ state: 'unknown' });
      const parts = [countSubscriptions().catch(unknown), countWatches().catch(unknown)] as const;
      const answer = Promise.all(parts).then(([first, second]) => ({ subscriptions: first, watches: second }));
      newest = { at: now(), answer };
    }
    return newest.answer;
  };
}
