import type { Database } from '../stores/database.js';
import { createNotificationStores } from '../workers/notifying.js';

/** The part of the service that tells of changes, where nobody is to be told. */
export const quietNotifying = (database: Database) => ({
  ...createNotificationStores(database),
  notifications: { wake: async () => {} },
  policy: { networks: [], http: false, ports: [443] },
  resolve: async () => [],
});
