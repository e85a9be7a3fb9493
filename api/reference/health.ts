import type { Datasets } from '../../reference/stores/datasets.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import { createNotificationHealth, type NotificationHealthOptions } from '../notifications/notification-health.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceStep } from './state.js';

/** A follower that has not read the end of its log for this time is stalled: it may miss changes of other processes. */
const STALLED_MS = 30_000;
/** The worst state first. */
const STATES = ['stalled', 'loading', 'ready'] as const;

function stateOf({ isReady, follower }: Pick<LiveDataset, 'isReady' | 'follower'>): (typeof STATES)[number] {
  if (!isReady) return 'loading';
  return follower.lagMs() > STALLED_MS ? 'stalled' : 'ready';
}

export interface HealthOptions {
  datasets: Datasets;
  notifying: Pick<NotificationHealthOptions, 'subscriptions'>;
  watching: Pick<NotificationHealthOptions, 'watches' | 'states'>;
}

/** `GET /v2/health`: the position of this process in each dataset, and the state of subscriptions and watches. */
export function createHealth({ datasets, notifying, watching }: HealthOptions): ReferenceStep {
  const { subscriptions } = notifying;
  const { watches, states } = watching;
  const readNotifications = createNotificationHealth({ subscriptions, watches, states });
  return async (ctx) => {
    readQuery(ctx, []);
    const all = datasets.all().filter(({ isReady, replica }) => !isReady || replica.declaration !== undefined);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      state: STATES.find((state) => all.some((each) => stateOf(each) === state)) ?? 'ready',
      datasets: Object.fromEntries(
        all.map(({ name, isReady, replica, follower }) => [
          name,
          {
            state: stateOf({ isReady, follower }),
            position: replica.position,
            version: replica.visible,
            rows: replica.rows.live(),
            lag_ms: isReady ? Math.ceil(follower.lagMs()) : null,
          },
        ]),
      ),
      ...(await readNotifications()),
    };
  };
}
