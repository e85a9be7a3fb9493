import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createMatching } from '../../activities/matching.js';
import { createMinter, findMinted } from '../../activities/minting.js';
import type { Change, LogContent, LogEntry } from '../../resources/change.js';
import { DatasetSpec } from '../../resources/dataset.js';
import type { SourcePositions } from '../../resources/notice.js';
import type { EventEntry, PlatformEvent, StreamEntry } from '../../resources/platform-event.js';
import { type Subscription, SubscriptionSpec } from '../../resources/subscription.js';
import { createMemoryDatabase } from '../../stores/memory-database.js';
import { createOutbox } from '../../stores/outbox.js';

const SUBSCRIPTION = 'sub_a';
const AT = '2026-01-01T00:00:00.000Z';
const FIELDS = DatasetSpec.parse({ fields: { status: { type: 'enum', values: ['Open', 'Filled'] } } });

/** Streams in memory, and minters that read them. */
function openScene(wanted: object, begin: SourcePositions) {
  const outbox = createOutbox({ database: createMemoryDatabase() });
  const streams = new Map<string, StreamEntry[]>();
  const subscription: Subscription = {
    ...{ kind: 'Subscription', id: SUBSCRIPTION, uid: 'u', generation: 1, revision: 1 },
    ...{ createdAt: AT, updatedAt: AT, createdBy: 'ana', updatedBy: 'ana' },
    spec: SubscriptionSpec.parse({ name: 'test', mode: 'pull', ...wanted }),
    status: {
      ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
      ...{ starts_at: begin, declarations: { positions: { fields: FIELDS.fields, generation: 1 } } },
    },
  };
  const entriesOf = (stream: string): StreamEntry[] => {
    const entries = streams.get(stream) ?? [];
    streams.set(stream, entries);
    return entries;
  };
  const place = (stream: string) => ({ position: entriesOf(stream).length + 1, at: AT, token: randomUUID() });
  return {
    append: (stream: string, content: LogContent) => {
      const entry: LogEntry = { ...content, ...place(stream) };
      entriesOf(stream).push(entry);
    },
    tell: (event: PlatformEvent, repeated?: true) => {
      const entry: EventEntry = { kind: 'event', event, ...place('pipeline'), ...(repeated && { repeated }) };
      entriesOf('pipeline').push(entry);
    },
    /** A minter that begins where the outbox ends, as after a crash. */
    mintAll: async () => {
      const minter = createMinter({
        ...{ subscription: SUBSCRIPTION, matching: createMatching(subscription), outbox },
        streamOf: (name) => ({ read: async (position) => entriesOf(name)[position - 1] }),
        minted: await findMinted(outbox, subscription),
        settledThrough: () => 0,
        baseUrl: 'https://slipway.example',
      });
      while ((await minter.mint()).more) continue;
      return minter.minted;
    },
    notices: async () => {
      const told: { type: string; subject: string; dataschema?: string; data: object }[] = [];
      for (let block = 1; ; block += 1) {
        const found = await outbox.read(SUBSCRIPTION, block);
        if (found === undefined) return told;
        for (const { body } of found.notices) told.push(JSON.parse(body));
      }
    },
  };
}

const platformEvent = (key: string, data: object, type = 'pipeline.training.succeeded'): PlatformEvent => ({
  ...{ key, type, source: '/api/v1/model/training', subject: `training/${key}`, version: 2, at: AT },
  data: JSON.stringify({ kind: 'ModelTraining', id: key, version: 2, generation: 1, ...data }),
});

test('events of the platform become notices once each, by type and by filter', async () => {
  const { tell, mintAll, notices } = openScene(
    { types: ['pipeline.training.succeeded', 'pipeline.deployment.*'], filter: 'model_name == wine' },
    { pipeline: { position: 0, index: 0 } },
  );
  tell(platformEvent('a', { model_name: 'wine' }));
  tell(platformEvent('b', { model_name: 'beer' }));
  tell(platformEvent('c', { model_name: 'wine' }, 'pipeline.training.failed'));
  tell(platformEvent('d', { model_name: 'wine' }, 'pipeline.deployment.ready'));
  tell(platformEvent('a', { model_name: 'wine' }), true);
  await mintAll();
  expect(await mintAll()).toMatchObject({ sequence: 2, sources: { pipeline: { position: 5 } } });
  expect(await notices()).toMatchObject([
    {
      type: 'pipeline.training.succeeded',
      subject: 'training/a',
      dataschema: 'https://slipway.example/v2/event-types/pipeline.training.succeeded/1',
      data: { id: 'a', model_name: 'wine' },
    },
    { type: 'pipeline.deployment.ready', subject: 'training/d' },
  ]);
});

test('a type without the fields of the filter is not filtered, and payload ids leaves who it is', async () => {
  const { tell, mintAll, notices } = openScene(
    { types: ['pipeline.training.*', 'dataset.positions.*'], filter: 'changed(status)', payload: 'ids' },
    { pipeline: { position: 0, index: 0 } },
  );
  tell(platformEvent('a', { model_name: 'wine' }));
  await mintAll();
  expect((await notices())[0]?.data).toEqual({ kind: 'ModelTraining', id: 'a', version: 2, generation: 1 });
});

const change = (id: string, status: string): Change => ({
  ...{ id, version: 1, at: AT, actor: 'ana', schema: 2, commit: randomUUID() },
  body: `{"id":"${id}","status":"${status}","version":1,"created_at":"${AT}","updated_at":"${AT}"}`,
});

test('after a restart events go by the declaration in force where reading goes on', async () => {
  const { append, mintAll, notices } = openScene(
    { types: ['dataset.positions.*'], filter: 'status == Lost or status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  const wider = DatasetSpec.parse({ fields: { status: { type: 'enum', values: ['Open', 'Filled', 'Lost'] } } });
  append('positions', { kind: 'schema', spec: wider, schema: 2, actor: 'ana' });
  await mintAll();
  append('positions', { kind: 'changes', changes: [change('1', 'Filled'), change('2', 'Lost')] });
  await mintAll();
  const [, created] = await notices();
  expect(created).toMatchObject({
    subject: '2',
    dataschema: 'https://slipway.example/v2/event-types/dataset.positions.created/2',
  });
});
