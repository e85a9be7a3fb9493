import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createMatching } from '../../activities/matching.js';
import { createSettings } from '../../activities/settings.js';
import { createMinter, findMinted } from '../../activities/minting.js';
import type { Change, LogContent, LogEntry } from '../../resources/change.js';
import { DatasetSpec } from '../../resources/dataset.js';
import type { SourcePositions } from '../../resources/notice.js';
import type { EventEntry, PlatformEvent, StreamEntry } from '../../resources/platform-event.js';
import { type Subscription, SubscriptionSpec } from '../../resources/subscription.js';
import { createMemoryDatabase } from '../../stores/memory-database.js';
import { createProgressStore } from '../../stores/progress.js';
import { createOutbox } from '../../stores/outbox.js';

const SUBSCRIPTION = 'sub_a';
const AT = '2026-01-01T00:00:00.000Z';
const FIELDS = DatasetSpec.parse({ fields: { status: { type: 'enum', values: ['Open', 'Filled'] } } });

/** Streams in memory, and minters that read them. */
function openScene(wanted: object, begin: SourcePositions) {
  const database = createMemoryDatabase();
  const outbox = createOutbox({ database });
  const bringIntoForce = createSettings({ outbox, progress: createProgressStore({ database }) });
  const streams = new Map<string, StreamEntry[]>();
  let subscription: Subscription = {
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
  const newMinter = async () =>
    createMinter({
      ...{ subscription: SUBSCRIPTION, generation: subscription.generation, outbox },
      matching: createMatching(subscription),
      streamOf: (name) => ({ read: async (position) => entriesOf(name)[position - 1] }),
      minted: await findMinted(outbox, subscription),
      settledThrough: () => 0,
      baseUrl: 'https://slipway.example',
    });
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
    /** Stores other settings; they do not count before that is said. */
    edit: (filter: string): void => {
      const { spec, generation } = subscription;
      subscription = { ...subscription, spec: { ...spec, filter }, generation: generation + 1 };
    },
    bringIntoForce: (read?: SourcePositions) => bringIntoForce(subscription, read),
    newMinter,
    /** Mints to the ends of the streams, by a minter that begins where the outbox ends, as after a crash. */
    mintAll: async () => {
      const minter = await newMinter();
      while ((await minter.mint()).more) continue;
      return minter.minted;
    },
    outbox,
    notices: async () => {
      const told: { type: string; subject: string; sequence: string; dataschema?: string; data: object }[] = [];
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

test('a large import is told change by change, and its summary to those who name it', async () => {
  const begin = { positions: { position: 0, index: 0 } };
  for (const [types, summaries] of [
    [['dataset.positions.*'], []],
    [
      ['dataset.positions.*', 'dataset.positions.imported'],
      [{ dataset: 'positions', import: 'imp_1', changes: 450, dataset_version: 3 }],
    ],
  ] as const) {
    const { append, mintAll, notices } = openScene({ types }, begin);
    append('positions', { kind: 'hold', import: 'imp_1' });
    const changes = Array.from({ length: 450 }, (_, n) => change(String(n + 1), 'Open'));
    append('positions', { kind: 'changes', changes });
    append('positions', { kind: 'release', import: 'imp_1' });
    await mintAll();
    const told = await notices();
    const rows = told.filter(({ type }) => type === 'dataset.positions.created');
    expect(rows.map(({ subject }) => subject)).toEqual(changes.map(({ id }) => id));
    expect(told.filter(({ type }) => type === 'dataset.positions.imported').map(({ data }) => data)).toEqual(summaries);
  }
});

const rise = (id: number, status: string): LogContent => ({ kind: 'changes', changes: [change(String(id), status)] });
const subjectsOf = async ({ notices }: ReturnType<typeof openScene>) => (await notices()).map(({ subject }) => subject);

test('an edit of the filter counts from a stated place on, for every minter', async () => {
  const scene = openScene(
    { types: ['dataset.positions.*'], filter: 'status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  const { append, edit, mintAll, newMinter, bringIntoForce } = scene;
  append('positions', rise(1, 'Open'));
  append('positions', rise(2, 'Filled'));
  const old = await newMinter();
  const { sources } = await mintAll();
  edit('status == Filled');
  append('positions', rise(3, 'Filled'));
  append('positions', rise(4, 'Open'));
  // Read by the old filter up to 2, of which one was told: what comes behind goes by the new one.
  expect(await bringIntoForce(sources)).toEqual({ positions: { position: 2, index: 0 } });
  for (let round = 0; round < 5; round += 1) await old.mint();
  await mintAll();
  expect(await subjectsOf(scene)).toEqual(['1', '3']);
  expect(await bringIntoForce()).toEqual({ positions: { position: 2, index: 0 } });
  // A block without a notice is in nobody's way.
  const numbers = [1, 2, 3].map(async (sequence) => (await scene.outbox.find(SUBSCRIPTION, sequence))?.notice.sequence);
  expect(await Promise.all(numbers)).toEqual([1, 2, undefined]);
});

test('an edit whose maker died before it counted is brought into force by whoever mints next', async () => {
  const scene = openScene(
    { types: ['dataset.positions.*'], filter: 'status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  const { append, edit, mintAll, bringIntoForce } = scene;
  append('positions', rise(1, 'Open'));
  await mintAll();
  for (const filter of ['status == Open', 'status == Filled']) edit(filter);
  append('positions', rise(2, 'Filled'));
  await mintAll();
  expect(await subjectsOf(scene)).toEqual(['1', '2']);
  expect(await bringIntoForce()).toEqual({ positions: { position: 1, index: 0 } });
});

test('many minters, crashes and edits: dense numbers, each event once, and by the filter of its place', async () => {
  const scene = openScene(
    { types: ['dataset.positions.*'], filter: 'status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  const { append, edit, newMinter, mintAll, bringIntoForce } = scene;
  let minters = [await newMinter()];
  const places: number[] = [];
  let id = 0;
  for (let round = 0; round < 60; round += 1) {
    for (let n = 0; n < 3; n += 1) append('positions', rise((id += 1), id % 2 === 0 ? 'Open' : 'Filled'));
    if (round % 20 === 19) {
      edit(places.length % 2 === 0 ? 'status == Filled' : 'status == Open');
      places.push((await bringIntoForce(minters[0]?.minted.sources)).positions?.position ?? 0);
    }
    // Old ones go on beside new ones, and one is forgotten now and then.
    minters = [...minters, await newMinter()].slice(round % 7 === 0 ? -1 : -4);
    await Promise.all(minters.map((minter) => minter.mint()));
  }
  await mintAll();
  const told = await scene.notices();
  expect(told.map(({ sequence }) => Number(sequence))).toEqual(told.map((_, index) => index + 1));
  const filterAt = (position: number) => places.filter((place) => position > place).length % 2;
  const expected = Array.from({ length: id }, (_, index) => index + 1).filter(
    (each) => each % 2 === filterAt(each), // the entry of entity n stands at position n
  );
  expect(told.map(({ subject }) => Number(subject))).toEqual(expected);
});
