import { cancellationSignal } from '@temporalio/activity';
import { createNotificationUpkeep } from '../../activities/notifications/notification-upkeep.js';
import type { RoundPart } from '../../activities/shared/round.js';
import { type AnyResource, type Kind, KINDS } from '../../platform/kinds/resource.js';
import type { RunKind } from '../../platform/kinds/ids.js';
import { type LoopItem, untilNothingLeft } from '../../platform/kinds/loop-items.js';
import { PLATFORM_STREAMS } from '../../platform/kinds/platform-event.js';
import type { Database } from '../../platform/stores/database.js';
import { FEED_KINDS } from '../../platform/stores/collections.js';
import { createResourceChanges } from '../../platform/stores/resource-changes.js';
import { createResourceUpkeep, type Removal } from '../../platform/stores/resource-upkeep.js';
import { createEventStream } from '../../platform/stores/event-stream.js';
import { createFeed } from '../../platform/stores/resource-feed.js';
import { createIdempotency } from '../../platform/stores/idempotency.js';
import { createReservedIds } from '../../platform/stores/reserved-ids.js';
import { removeOrphanedLogs } from '../../reference/stores/log-upkeep.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { createNotificationStores } from './notification-deps.js';
import { removeOldLogs } from '../../lifecycle/stores/log-retention.js';
import { createRecordRetention, RECORD_TAGS } from '../../lifecycle/stores/record-retention.js';
import { createRecordIndexUpkeep } from '../../lifecycle/stores/record-index-upkeep.js';
import { createResources } from '../../notifications/stores/resources.js';

const DAY_MS = 86_400_000;
/** Counts in the result of a round. */
const ROWS = 'rows_removed';
const LOG_DAYS = 1;
/** For how long a client may come back with a cursor (management API, 4.2). */
const FEED_DAYS = 30;
/** Notices are made within minutes, also for what is paused: this is for people who look back. */
const EVENT_DAYS = 35;
/**
 * A run that gets the signal of its resource's removal may still write to its log for minutes: its logs are removed by
 * each of the rounds, one an hour, that begin in this time.
 */
const ENDING_MS = 2 * 60 * 60_000;
/** After a delivery was settled. */
const NOTICE_DAYS = 30;

/** In the order of the names of their logs, as the items of a part are. */
const LOGGED: Partial<Record<Kind, RunKind>> = {
  InferenceJob: 'batchJob',
  ModelDeployment: 'deployment',
  ModelPackaging: 'packaging',
  ModelTraining: 'training',
};

export interface UpkeepDeps {
  database: Database;
  /** The platform's bucket. */
  objects: ObjectStore;
  /** Where the inference records and their index are; by default in the platform's bucket. */
  recordObjects?: ObjectStore;
  recordPrefix?: string;
  /** Days after which records are removed whose deployment names none; unset: they are kept. */
  recordDays?: number | undefined;
  /** For so long a request id is found. */
  lineageDays?: number;
  /** Days after which logs are removed that nothing was written to; unset: they go with their resource. */
  logDays?: number | undefined;
  now?: () => Date;
}

/** Returns the parts of a round through the stores: each drops what is past its time. */
export function createUpkeepParts({
  database,
  objects,
  recordObjects = objects,
  recordPrefix = '',
  recordDays,
  lineageDays = 90,
  logDays,
  now = database.now,
}: UpkeepDeps): RoundPart[] {
  const feeds = FEED_KINDS.map((kind) => ({ kind, feed: createFeed({ database, kind, now }) }));
  const idempotency = createIdempotency({ database, now });
  const reservedIds = createReservedIds({ database, now });
  const retention = createRecordRetention({
    objects: recordObjects,
    prefix: recordPrefix,
    defaultDays: recordDays,
    now,
  });
  const index = createRecordIndexUpkeep({ objects: recordObjects, prefix: recordPrefix, now });
  const notifications = createNotificationUpkeep(createNotificationStores(database));
  const daysAgo = (days: number): Date => new Date(now().getTime() - days * DAY_MS);

  async function purgeResources(kind: Kind): Promise<number> {
    const resources = createResources<AnyResource>({ database, kind, now });
    const run = LOGGED[kind];
    const before = daysAgo(LOG_DAYS);
    // Logs go soon after their resource; and once more when the removal is forgotten, for what was written since.
    const onRemoval = async ({ id, at }: Removal): Promise<void> => {
      const ageMs = now().getTime() - Date.parse(at);
      const due = ageMs < ENDING_MS || at < before.toISOString();
      if (run !== undefined && due) await removeOrphanedLogs({ objects, entities: resources, kind: run }, id);
    };
    const upkeep = createResourceUpkeep({ database, kind, resources, now });
    return upkeep.purge(before, { onRemoval, signal: cancellationSignal() });
  }

  const changes = createResourceChanges({ database, now });
  function* stores(): Generator<LoopItem> {
    yield* untilNothingLeft('changes of resources', ROWS, () => changes.purge(daysAgo(LOG_DAYS)));
    for (const { kind, feed } of feeds) yield store(`feed of ${kind}`, () => feed.purge(daysAgo(FEED_DAYS)));
    yield store('ids given to creations', () => reservedIds.purge());
    yield store('index of records', () => index.compact(daysAgo(lineageDays)));
    yield store('replies to repeated requests', () => idempotency.purge());
  }
  function* logs(days: number): Generator<LoopItem> {
    for (const [kind, run] of Object.entries(LOGGED) as [Kind, RunKind][]) {
      const entities = createResources<AnyResource>({ database, kind, now });
      yield* untilNothingLeft(run, 'log_objects_removed', () =>
        removeOldLogs({ objects, entities, kind: run }, daysAgo(days)),
      );
    }
  }
  function* records(): Generator<LoopItem> {
    for (const tag of RECORD_TAGS.toSorted()) {
      yield* untilNothingLeft(tag, 'record_files_removed', () => retention.purge(tag));
    }
  }
  function* streams(): Generator<LoopItem> {
    for (const stream of PLATFORM_STREAMS.toSorted()) {
      const events = createEventStream({ database, stream, now });
      yield* untilNothingLeft(stream, ROWS, () => events.purge(daysAgo(EVENT_DAYS)));
    }
  }
  return [
    { name: 'log of', items: () => KINDS.toSorted().map((kind) => store(kind, () => purgeResources(kind))) },
    { name: 'stream', items: streams },
    { name: 'records', items: records },
    { name: 'logs', items: () => (logDays === undefined ? [] : logs(logDays)) },
    { name: 'store', items: stores },
    { name: 'consumer', items: () => notifications.staleConsumers() },
    { name: 'deliveries of', items: () => notifications.deliveries(daysAgo(NOTICE_DAYS)) },
  ];
}

function store(name: string, purge: () => Promise<number>): LoopItem {
  const act = async () => {
    const removed = await purge();
    return removed === 0 ? undefined : { [ROWS]: removed };
  };
  return { name, act };
}

/** Returns, for each kind, what brings into its list what writers committed before they died. */
export const createHeals = (database: Database): ReadonlyMap<string, () => Promise<number>> =>
  new Map(
    KINDS.toSorted().map((kind) => {
      const resources = createResources<AnyResource>({ database, kind });
      const upkeep = createResourceUpkeep({ database, kind, resources });
      return [kind, () => upkeep.heal()];
    }),
  );
