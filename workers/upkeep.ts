import { heartbeat } from '@temporalio/activity';
import { KINDS } from '../resources/entity.js';
import type { Database } from '../stores/database.js';
import { createEntityUpkeep } from '../stores/entity-upkeep.js';
import { createFeed } from '../stores/feed.js';
import { createIdempotency } from '../stores/idempotency.js';

const DAY_MS = 86_400_000;
const LOG_DAYS = 1;
/** For how long a client may come back with a cursor (management API, 4.2). */
const FEED_DAYS = 30;

/** One round through the stores: finishes what dead writers began, then drops rows past their time. */
export function createUpkeep(database: Database): () => Promise<void> {
  const logs = KINDS.map((kind) => createEntityUpkeep({ database, kind }));
  const feed = createFeed({ database, kind: 'ModelDeployment' });
  const idempotency = createIdempotency({ database });
  const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
  return async () => {
    for (const log of logs) {
      heartbeat();
      await log.purge(daysAgo(LOG_DAYS));
    }
    await feed.purge(daysAgo(FEED_DAYS));
    await idempotency.purge();
  };
}
