import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createMatching } from '../../events/matching.js';
import { createSettings } from '../../activities/settings.js';
import { createMinter, findMinted } from '../../activities/minting.js';
import { beginningBehind, type LogBeginning } from '../../reference/log-beginning.js';
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

const WIDER = DatasetSpec.parse({ fields: { status: { type: 'enum', values: ['Open', 'Filled', 'Lost'] } } });

/** Streams in memory, and minters that read them. */
function openScene(wanted: object, begin: SourcePositions) {
  const database = createMemoryDatabase();
  const outbox = createOutbox({ database });
  const bringIntoForce = createSettings({ outbox, progress: createProgressStore({ database }) });
  const streams = new Map<string, StreamEntry[]>();
  const begins = new Map<string, LogBeginning>();
  const beginning = (stream: string): LogBeginning => begins.get(stream) ?? { purgedTo: 0 };
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
      streamOf: (name) => ({
        read: async (position) => (position > beginning(name).purgedTo ? entriesOf(name)[position - 1] : undefined),
        beginning: async () => beginning(name),
      }),
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
    /** Lets go of the entries up to a position. */
    trim: (stream: string, upTo: number): void => {
      const gone = entriesOf(stream).slice(beginning(stream).purgedTo, upTo);
      begins.set(stream, gone.reduce<LogBeginning>(beginningBehind, beginning(stream)));
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
  append('positions', { kind: 'schema', spec: WIDER, schema: 2, actor: 'ana' });
  await mintAll();
  append('positions', { kind: 'changes', changes: [change('1', 'Filled'), change('2', 'Lost')] });
  await mintAll();
  const [, created] = await notices();
  expect(created).toMatchObject({
    subject: '2',
    dataschema: 'https://slipway.example/v2/event-types/dataset.positions.created/2',
  });
});

const POSITIONS_FROM_START = { positions: { position: 0, index: 0 } };

test('behind a gap events go by the declaration that was removed with it, for every minter', async () => {
  const scene = openScene({ types: ['dataset.positions.created'], filter: 'status == Lost' }, POSITIONS_FROM_START);
  const { append, trim, mintAll, notices } = scene;
  append('positions', { kind: 'schema', spec: WIDER, schema: 2, actor: 'ana' });
  append('positions', rise(2, 'Lost'));
  append('positions', { kind: 'changes', changes: [change('3', 'Filled'), change('4', 'Lost')] });
  trim('positions', 2);
  await mintAll();
  // A minter that begins behind the gap finds the declaration that the block names, too.
  append('positions', { kind: 'changes', changes: [change('5', 'Filled'), change('6', 'Lost')] });
  expect(await mintAll()).toMatchObject({ sources: { positions: { position: 4, declaredAt: 1 } } });
  const told = await notices();
  expect(told.map(({ type, subject }) => [type, subject])).toEqual([
    ['ops.gap', 'stream/positions'],
    ['dataset.positions.created', '4'],
    ['dataset.positions.created', '6'],
  ]);
  expect(told[0]?.data).toEqual({ stream: 'positions', after: 0, position: 2, entries: 2 });
  for (const { dataschema } of told.slice(1)) expect(dataschema).toMatch(/dataset\.positions\.created\/2$/);
});

test('a declaration whose entry was removed after it was read stays in force', async () => {
  const scene = openScene({ types: ['dataset.positions.created'], filter: 'status == Lost' }, POSITIONS_FROM_START);
  const { append, trim, mintAll } = scene;
  append('positions', { kind: 'schema', spec: WIDER, schema: 2, actor: 'ana' });
  append('positions', rise(1, 'Lost'));
  await mintAll();
  trim('positions', 2);
  append('positions', { kind: 'changes', changes: [change('2', 'Filled'), change('3', 'Lost')] });
  await mintAll();
  expect(await subjectsOf(scene)).toEqual(['1', '3']);
});

test('what an import holds back across a gap is told at its release, and not before', async () => {
  const scene = openScene({ types: ['dataset.positions.*'] }, POSITIONS_FROM_START);
  const { append, trim, mintAll } = scene;
  append('positions', rise(1, 'Open'));
  append('positions', { kind: 'hold', import: 'imp_1' });
  append('positions', rise(2, 'Open'));
  await mintAll();
  append('positions', rise(3, 'Open'));
  trim('positions', 4);
  append('positions', rise(4, 'Open'));
  await mintAll();
  expect(await subjectsOf(scene)).toEqual(['1', 'stream/positions']);
  append('positions', { kind: 'release', import: 'imp_1' });
  append('positions', rise(5, 'Open'));
  await mintAll();
  expect(await subjectsOf(scene)).toEqual(['1', 'stream/positions', '4', '5']);
  // What was read but still held back is among what is lost.
  expect((await scene.notices())[1]?.data).toEqual({ stream: 'positions', after: 2, position: 4, entries: 2 });
});

test('an import that was discarded is not told, and what comes behind it is', async () => {
  const scene = openScene({ types: ['dataset.positions.*'] }, POSITIONS_FROM_START);
  const { append, mintAll } = scene;
  for (const id of [1, 3]) {
    append('positions', { kind: 'hold', import: `imp_${id}` });
    append('positions', rise(id, 'Open'));
    await mintAll();
    append('positions', { kind: id === 1 ? 'discard' : 'release', import: `imp_${id}` });
    append('positions', rise(id + 1, 'Open'));
    await mintAll();
  }
  expect(await subjectsOf(scene)).toEqual(['2', '3', '4']);
});

test('a subscription that is made while an import holds changes back is told all of it at the release', async () => {
  const begin = { positions: { position: 2, index: 0, heldFrom: 2 } };
  const scene = openScene({ types: ['dataset.positions.*'] }, begin);
  const { append, mintAll } = scene;
  append('positions', { kind: 'hold', import: 'imp_1' });
  append('positions', rise(1, 'Open'));
  append('positions', rise(2, 'Open'));
  await mintAll();
  expect(await subjectsOf(scene)).toEqual([]);
  append('positions', { kind: 'release', import: 'imp_1' });
  await mintAll();
  expect(await subjectsOf(scene)).toEqual(['1', '2']);
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
