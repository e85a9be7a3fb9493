import type { Database } from '../platform/stores/database.js';
import { openFeed } from '../workers/compose/feed.js';
import { createNotificationStores } from '../workers/compose/notification-deps.js';
import { createWatchRouteStores } from '../workers/compose/watches.js';

/** The notification part of the service, for benchmarks without subscriptions. */
export function quietNotifying(database: Database) {
  const stores = createNotificationStores(database);
  const feed = openFeed({ ...stores, database, baseUrl: 'http://bench.invalid' });
  return {
    ...stores,
    feed: feed.source,
    activateSettings: feed.bringIntoForce,
    notifications: { wake: async () => {} },
    sendTest: () => Promise.reject(new Error('this service sends no webhooks')),
    policy: { networks: [], http: false, ports: [443] },
    resolve: async () => [],
    probe: async () =>
      ({ at: new Date().toISOString(), answered: true, level: 'L0', receipts: 'none', steps: [] }) as const,
  };
}

/** The same of the part that tells of what does not change. */
export const quietWatching = (database: Database) => ({
  ...createWatchRouteStores(database),
  start: async (): Promise<void> => {},
});
