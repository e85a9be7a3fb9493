import type { Database } from '../platform/stores/database.js';
import { openFeed } from '../workers/compose/feed.js';
import { createNotificationStores } from '../workers/compose/notification-deps.js';
import { createWatchRouteStores } from '../workers/compose/watches.js';

/** The part of the service that tells of changes, where nobody is to be told. */
export function quietNotifying(database: Database) {
  const stores = createNotificationStores(database);
  const feed = openFeed({ ...stores, database, baseUrl: 'http://bench.invalid' });
  return {
    ...stores,
    feed: feed.source,
    activateSettings: feed.bringIntoForce,
    notifications: { wake: async () => {} },
    sendTest: () => Promise.reject(new Error('nobody is to be told')),
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
