import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { WatchDeps } from '../../activities/notifications/watches/watches.js';
import { createDatasetWatchSource } from '../../activities/notifications/watches/dataset-watch-source.js';
import { createEventWatchSource } from '../../activities/notifications/watches/event-watch-source.js';
import {
  createWatchedDataset,
  type WatchedDatasetOptions,
} from '../../activities/notifications/watches/watched-dataset.js';
import { type EventEntry, isPlatformStream } from '../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { Watch } from '../../notifications/kinds/watch.js';
import { WATCHES_WORKFLOW_ID } from '../../notifications/kinds/watch-ref.js';
import { WAKE_SIGNAL } from '../../notifications/kinds/subscription-ref.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { createEventStream } from '../../platform/stores/event-stream.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { createResources } from '../../notifications/stores/resources.js';
import { createStreamLog } from '../../platform/stores/stream-log.js';
import { createWatchCheckpoints } from '../../notifications/stores/watch-checkpoints.js';
import { createWatchStates } from '../../notifications/stores/watch-states.js';
import type { ProcessContext } from './process.js';

export const createWatchStores = (database: Database) => ({
  watches: createResources<Watch>({ database, kind: 'Watch' }),
  states: createWatchStates({ database }),
});

interface WatchContext extends ProcessContext {
  client: Client;
  database: Database;
  objects: ObjectStore;
  datasets: Datasets;
}

const ENSURE_MS = 60_000;

/** Opens the dependencies of the watch evaluator. A worker of the `notification` queue also keeps its workflow running. */
export function openWatchDeps({ settings, log, client, database, objects, datasets }: WatchContext): WatchDeps {
  const stores = createWatchStores(database);
  const stream = createEventStream({ database, stream: 'watch' });
  const sourceOf = (name: string): Pick<WatchedDatasetOptions, 'log' | 'source'> => {
    const log = createStreamLog<StreamEntry>({ database, collection: collections.streams, stream: name });
    if (!isPlatformStream(name)) return { log, source: createDatasetWatchSource(datasets, name) };
    const events = createEventStream({ database, stream: name });
    // An event may be in the log more than once: the first copy counts.
    return { log: { ...log, read: (position) => events.read(position) }, source: createEventWatchSource(events) };
  };
  if (settings.SLIPWAY_QUEUES.includes('notification')) {
    const ensure = (): void => {
      void ensureEvaluator(client, stores.watches).catch((err: unknown) => {
        log.warn({ err }, 'could not start the watch evaluator');
      });
    };
    ensure();
    setInterval(ensure, ENSURE_MS).unref();
  }
  return {
    ...stores,
    openDataset: (name) =>
      createWatchedDataset({
        name,
        ...sourceOf(name),
        checkpoints: createWatchCheckpoints({ objects }),
        publish: (events) => stream.publishAll(events),
        now: database.now,
        onError: (err) => log.warn({ err }, `watches of ${name} cannot be evaluated; the worker retries`),
      }),
  };
}

const EVALUATOR = {
  workflowId: WATCHES_WORKFLOW_ID,
  taskQueue: 'notification',
  args: [],
  staticSummary: 'watch evaluator',
} as const;

/** Starts the evaluator when there are watches: the API may have stopped before it woke the evaluator. */
async function ensureEvaluator(
  client: Client,
  watches: ReturnType<typeof createWatchStores>['watches'],
): Promise<void> {
  const all = await watches.list();
  if (all.every(({ status }) => status.state === 'removed')) return;
  await client.workflow.start('watches', EVALUATOR).catch((err: unknown) => {
    if (!(err instanceof WorkflowExecutionAlreadyStartedError)) throw err;
  });
}

const DEADLINE_MS = 3_000;

/** Wakes the evaluator for a new watch. Never fails: a worker starts the evaluator at intervals. */
export function createWatchStart({ client, log }: { client: Client; log: Pick<ProcessContext['log'], 'warn'> }) {
  return async (): Promise<void> => {
    const start = () =>
      client.workflow.signalWithStart('watches', { ...EVALUATOR, args: [], signal: WAKE_SIGNAL, signalArgs: [] });
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, start).catch((err: unknown) => {
      log.warn({ err }, 'could not wake the watch evaluator');
    });
  };
}

/** Opens the stores from which the API shows watches. */
export function createWatchRouteStores(database: Database) {
  const keys = database.table<Row>(collections.events);
  return {
    ...createWatchStores(database),
    gapEvents: {
      stream: createEventStream({ database, stream: 'watch' }),
      log: createStreamLog<EventEntry>({ database, collection: collections.streams, stream: 'watch' }),
    },
    events: createEventStream({ database, stream: 'pipeline' }),
    wasEmitted: async (key: string) => (await keys.get(key)) !== undefined,
  };
}
