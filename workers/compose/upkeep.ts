import { heartbeat } from '@temporalio/activity';
import { createNotificationUpkeep } from '../../activities/notifications/notification-upkeep.js';
import { whileBeating } from '../../activities/shared/heartbeat.js';
import { type AnyResource, type Kind, KINDS } from '../../platform/kinds/resource.js';
import type { RunKind } from '../../platform/kinds/ids.js';
import { PLATFORM_STREAMS } from '../../platform/kinds/platform-event.js';
import type { Database } from '../../platform/stores/database.js';
import { createResourceUpkeep, type Removal } from '../../platform/stores/resource-upkeep.js';
import { createEventStream } from '../../platform/stores/event-stream.js';
import { createFeed } from '../../platform/stores/resource-feed.js';
import { createIdempotency } from '../../platform/stores/idempotency.js';
import { removeOrphanedLogs } from '../../reference/stores/log-upkeep.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { createNotificationStores } from './notification-deps.js';
import { createRecordIndexUpkeep } from '../../lifecycle/stores/record-index-upkeep.js';
import { createResources } from '../../notifications/stores/resources.js';

const DAY_MS = 86_400_000;
const LOG_DAYS = 1;
/** For how long a client may come back with a cursor (management API, 4.2). */
const FEED_DAYS = 30;
/** Notices are made within minutes, also for what is paused: this is for people who look back. */
const EVENT_DAYS = 35;
/** A run that gets the signal of its resource's removal may still write to its log for so long. */
const ENDING_MS = 15 * 60_000;

const INDEX_PAUSE_MS = 60 * 60_000;
/** After a notice was settled. */
const NOTICE_DAYS = 30;

/** A round reads whole collections: the larger they are, the longer it rests, so as to take a twentieth of the time. */
const REST_FACTOR = 20;

const LOGGED: Partial<Record<Kind, RunKind>> = {
  ModelTraining: 'training',
  ModelPackaging: 'packaging',
  ModelDeployment: 'deployment',
};

export interface UpkeepDeps {
  database: Database;
  /** The platform's bucket: logs, and the index of inference records. */
  objects: ObjectStore;
  recordPrefix?: string;
  /** For so long a request id is found. */
  lineageDays?: number;
  now?: () => Date;
}

/** One round through the stores: finishes what dead writers began, then drops what is past its time. */
export function createUpkeep({
  database,
  objects,
  recordPrefix = '',
  lineageDays = 90,
  now = () => new Date(),
}: UpkeepDeps): () => Promise<void> {
  const feed = createFeed({ database, kind: 'ModelDeployment', now });
  const idempotency = createIdempotency({ database, now });
  const daysAgo = (days: number): Date => new Date(now().getTime() - days * DAY_MS);

  const upkeeps = KINDS.map((kind) => {
    const resources = createResources<AnyResource>({ database, kind, now });
    const upkeep = createResourceUpkeep({ database, kind, resources, now });
    const run = LOGGED[kind];
    return async (): Promise<void> => {
      const before = daysAgo(LOG_DAYS);
      // Logs go soon after their resource; and once more when the removal is forgotten, for what was written since.
      const removeLogs = async ({ id, at }: Removal): Promise<void> => {
        const ageMs = now().getTime() - Date.parse(at);
        const due = ageMs < ENDING_MS || at < before.toISOString();
        if (run !== undefined && due) await removeOrphanedLogs({ objects, entities: resources, kind: run }, id);
      };
      await whileBeating(() => upkeep.purge(before, removeLogs));
    };
  });

  const index = createRecordIndexUpkeep({ objects, prefix: recordPrefix, now });
  let compactedAt = -Infinity;
  // Lists the whole index, which changes by the day.
  const compactIndex = async (): Promise<void> => {
    if (now().getTime() - compactedAt < INDEX_PAUSE_MS) return;
    await whileBeating(() => index.compact(daysAgo(lineageDays)));
    compactedAt = now().getTime();
  };

  const streams = PLATFORM_STREAMS.map((stream) => createEventStream({ database, stream, now }));
  const purgeStreams = async (): Promise<void> => {
    for (const stream of streams) await whileBeating(() => stream.purge(daysAgo(EVENT_DAYS)));
  };

  const notifications = createNotificationUpkeep(createNotificationStores(database));
  let noticesPurgedAt = -Infinity;
  const purgeNotices = async (): Promise<void> => {
    if (now().getTime() - noticesPurgedAt < INDEX_PAUSE_MS) return;
    await whileBeating(() => notifications.purge(daysAgo(NOTICE_DAYS)));
    noticesPurgedAt = now().getTime();
  };

  const rest = [
    purgeStreams,
    purgeNotices,
    () => feed.purge(daysAgo(FEED_DAYS)),
    () => idempotency.purge(),
    compactIndex,
  ];
  let restsUntil = -Infinity;
  return async () => {
    const began = now().getTime();
    if (began < restsUntil) return;
    const failures: unknown[] = [];
    for (const part of [...upkeeps, ...rest]) {
      heartbeat();
      // One that cannot do its part now, such as while object storage is away, holds up no other.
      await part().catch((err: unknown) => failures.push(err));
    }
    const ended = now().getTime();
    restsUntil = ended + REST_FACTOR * (ended - began);
    if (failures.length > 0) throw failures[0];
  };
}
