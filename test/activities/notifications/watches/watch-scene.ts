import { randomUUID } from 'node:crypto';
import { createDatasetWatchSource } from '../../../../activities/notifications/watches/dataset-watch-source.js';
import {
  createWatchedDataset,
  type WatchedDatasetOptions,
} from '../../../../activities/notifications/watches/watched-dataset.js';
import { parseJson } from '../../../../reference/rows/json.js';
import { DatasetSpec } from '../../../../reference/dataset/dataset.js';
import { SlipwayError } from '../../../../platform/kinds/errors.js';
import type { EventEntry, PlatformEvent } from '../../../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../../../notifications/kinds/stream-entry.js';
import { type Watch, WatchSpec, type WatchStatus } from '../../../../notifications/kinds/watch.js';
import { collections } from '../../../../platform/stores/collections.js';
import { createDatasets } from '../../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../../reference/stores/declarations.js';
import { createRowWrites } from '../../../../reference/stores/row-writes.js';
import { createEventStream } from '../../../../platform/stores/event-stream.js';
import { createMemoryDatabase } from '../../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../../platform/stores/memory-objects.js';
import { createStreamLog } from '../../../../platform/stores/stream-log.js';
import { createWatchCheckpoints } from '../../../../notifications/stores/watch-checkpoints.js';

const START = Date.parse('2026-02-11T00:00:00.000Z');
const MINUTE = 60_000;

/** Opens a dataset with its own clock, and evaluators of its watches; times are minutes. */
export async function openWatchScene(more: Partial<WatchedDatasetOptions> = {}) {
  let time = START;
  const now = (): Date => new Date(time);
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const datasets = createDatasets({ database, now });
  await datasets.start();
  const spec = DatasetSpec.parse({
    fields: { status: { type: 'enum', values: ['Open', 'Filled'] }, rate: { type: 'integer' } },
  });
  await createDeclarations({ datasets }).declare({ name: 'positions', spec, actor: 'test', force: false });
  const writes = createRowWrites({ datasets });
  const stream = createEventStream({ database, stream: 'watch', now });
  const emitted = createStreamLog<EventEntry>({ database, collection: collections.streams, stream: 'watch' });
  const log = createStreamLog<StreamEntry>({ database, collection: collections.streams, stream: 'positions' });
  const away = { log: false, stream: false };
  const errors: unknown[] = [];
  const refuse = (): never => {
    throw new SlipwayError('unavailable', 'the database does not answer');
  };

  const evaluator = (options: Partial<WatchedDatasetOptions> = {}) =>
    createWatchedDataset({
      name: 'positions',
      log: {
        ...log,
        read: (position) => (away.log ? refuse() : log.read(position)),
        insert: (entry) => (away.log ? refuse() : log.insert(entry)),
      },
      source: createDatasetWatchSource(datasets, 'positions'),
      checkpoints: createWatchCheckpoints({ objects }),
      publish: (events) => (away.stream ? refuse() : stream.publishAll(events)),
      onError: (err) => void errors.push(err),
      now,
      heartbeatMs: 0,
      checkpointMs: Infinity,
      ...more,
      ...options,
    });

  async function readEmitted(): Promise<PlatformEvent[]> {
    const events: PlatformEvent[] = [];
    for (let position = 1, end = await stream.end(); position <= end; position += 1) {
      const entry = await emitted.read(position);
      if (entry !== undefined && (await stream.counts(entry))) events.push(entry.event);
    }
    return events;
  }

  return {
    database,
    datasets,
    log,
    away,
    errors,
    objects,
    stream,
    evaluator,
    start: START,
    /** Sets the clock. */
    at: (minute: number): void => void (time = START + minute * MINUTE),
    put: (id: number, fields: object) =>
      writes.put({ dataset: 'positions', id: BigInt(id), actor: 'test' }, parseJson(JSON.stringify(fields))),
    remove: (id: number) => writes.remove({ dataset: 'positions', id: BigInt(id), actor: 'test' }),
    follower: datasets.get('positions').dataset.follower,
    watch: (settings: object = {}, state: WatchStatus['state'] = 'active'): Watch => {
      const at = now().toISOString();
      return {
        kind: 'Watch',
        id: `wat_${randomUUID().slice(0, 8)}`,
        uid: randomUUID(),
        spec: WatchSpec.parse({
          name: 'quiet',
          scope: { dataset: 'positions', filter: 'status == Open' },
          period: 'PT10M',
          recovery_notice: true,
          ...settings,
        }),
        status: { state, history: [] },
        generation: 1,
        revision: 1,
        ...{ createdAt: at, updatedAt: at, createdBy: 'test', updatedBy: 'test' },
      };
    },
    /** Returns the emitted events: type, entity and due time in minutes. */
    emitted: async (): Promise<string[]> =>
      (await readEmitted()).map(
        ({ type, subject, at }) =>
          `${type} ${subject.slice(subject.indexOf('/') + 1)} ${(Date.parse(at) - START) / MINUTE}m`,
      ),
    /** Returns the data of the emitted events. */
    emittedData: async (): Promise<Record<string, unknown>[]> =>
      (await readEmitted()).map(({ data }) => JSON.parse(data) as Record<string, unknown>),
    stop: () => datasets.stop(),
  };
}
export type WatchScene = Awaited<ReturnType<typeof openWatchScene>>;
