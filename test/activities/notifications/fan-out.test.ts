import { expect, test } from 'vitest';
import {
  change,
  openFanOutScene,
  platformEvent,
  POSITIONS_FROM_START,
  rise,
  SUBSCRIPTION,
  subjectsOf,
  WIDER,
} from './fan-out-scene.js';

test('each platform event is written once, by type and by filter', async () => {
  const { emit, writeAll, notices } = openFanOutScene(
    { types: ['pipeline.training.succeeded', 'pipeline.deployment.*'], filter: 'model_name == wine' },
    { pipeline: { position: 0, index: 0 } },
  );
  emit(platformEvent('a', { model_name: 'wine' }));
  emit(platformEvent('b', { model_name: 'beer' }));
  emit(platformEvent('c', { model_name: 'wine' }, 'pipeline.training.failed'));
  emit(platformEvent('d', { model_name: 'wine' }, 'pipeline.deployment.ready'));
  emit(platformEvent('a', { model_name: 'wine' }), true);
  await writeAll();
  expect(await writeAll()).toMatchObject({ sequence: 2, sources: { pipeline: { position: 5 } } });
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

test('a type without the fields of the filter is not filtered, and payload "ids" keeps the ids', async () => {
  const { emit, writeAll, notices } = openFanOutScene(
    { types: ['pipeline.training.*', 'dataset.positions.*'], filter: 'changed(status)', payload: 'ids' },
    { pipeline: { position: 0, index: 0 } },
  );
  emit(platformEvent('a', { model_name: 'wine' }));
  await writeAll();
  expect((await notices())[0]?.data).toEqual({ kind: 'ModelTraining', id: 'a', version: 2, generation: 1 });
});

test('after a restart events use the declaration in force at the position', async () => {
  const { append, writeAll, notices } = openFanOutScene(
    { types: ['dataset.positions.*'], filter: 'status == Lost or status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  append('positions', { kind: 'schema', spec: WIDER, schema: 2, actor: 'ana' });
  await writeAll();
  append('positions', { kind: 'changes', changes: [change('1', 'Filled'), change('2', 'Lost')] });
  await writeAll();
  const [, created] = await notices();
  expect(created).toMatchObject({
    subject: '2',
    dataschema: 'https://slipway.example/v2/event-types/dataset.positions.created/2',
  });
});

test('after a gap events use the declaration that was purged with it, in every process', async () => {
  const scene = openFanOutScene(
    { types: ['dataset.positions.created'], filter: 'status == Lost' },
    POSITIONS_FROM_START,
  );
  const { append, trim, writeAll, notices } = scene;
  append('positions', { kind: 'schema', spec: WIDER, schema: 2, actor: 'ana' });
  append('positions', rise(2, 'Lost'));
  append('positions', { kind: 'changes', changes: [change('3', 'Filled'), change('4', 'Lost')] });
  trim('positions', 2);
  await writeAll();
  // A fan-out that starts after the gap also finds the declaration that the block names.
  append('positions', { kind: 'changes', changes: [change('5', 'Filled'), change('6', 'Lost')] });
  expect(await writeAll()).toMatchObject({ sources: { positions: { position: 4, declaredAt: 1 } } });
  const emitted = await notices();
  expect(emitted.map(({ type, subject }) => [type, subject])).toEqual([
    ['ops.gap', 'stream/positions'],
    ['dataset.positions.created', '4'],
    ['dataset.positions.created', '6'],
  ]);
  expect(emitted[0]?.data).toEqual({ stream: 'positions', after: 0, position: 2, entries: 2 });
  for (const { dataschema } of emitted.slice(1)) expect(dataschema).toMatch(/dataset\.positions\.created\/2$/);
});

test('a declaration whose entry was purged after it was read stays in force', async () => {
  const scene = openFanOutScene(
    { types: ['dataset.positions.created'], filter: 'status == Lost' },
    POSITIONS_FROM_START,
  );
  const { append, trim, writeAll } = scene;
  append('positions', { kind: 'schema', spec: WIDER, schema: 2, actor: 'ana' });
  append('positions', rise(1, 'Lost'));
  await writeAll();
  trim('positions', 2);
  append('positions', { kind: 'changes', changes: [change('2', 'Filled'), change('3', 'Lost')] });
  await writeAll();
  expect(await subjectsOf(scene)).toEqual(['1', '3']);
});

test('an edited filter is active after a stored position, in every process', async () => {
  const scene = openFanOutScene(
    { types: ['dataset.positions.*'], filter: 'status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  const { append, edit, writeAll, openFanOut, activateSettings } = scene;
  append('positions', rise(1, 'Open'));
  append('positions', rise(2, 'Filled'));
  const old = await openFanOut();
  const { sources } = await writeAll();
  edit('status == Filled');
  append('positions', rise(3, 'Filled'));
  append('positions', rise(4, 'Open'));
  // The old filter was used up to position 2 and matched one entry; later entries use the new one.
  expect(await activateSettings(sources)).toEqual({ positions: { position: 2, index: 0 } });
  for (let round = 0; round < 5; round += 1) await old.writeBlock();
  await writeAll();
  expect(await subjectsOf(scene)).toEqual(['1', '3']);
  expect(await activateSettings()).toEqual({ positions: { position: 2, index: 0 } });
  // A block without events changes nothing for other processes.
  const numbers = [1, 2, 3].map(async (sequence) => (await scene.outbox.find(SUBSCRIPTION, sequence))?.event.sequence);
  expect(await Promise.all(numbers)).toEqual([1, 2, undefined]);
});

test('an edit whose API process died before the activation is activated by the next fan-out', async () => {
  const scene = openFanOutScene(
    { types: ['dataset.positions.*'], filter: 'status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  const { append, edit, writeAll, activateSettings } = scene;
  append('positions', rise(1, 'Open'));
  await writeAll();
  for (const filter of ['status == Open', 'status == Filled']) edit(filter);
  append('positions', rise(2, 'Filled'));
  await writeAll();
  expect(await subjectsOf(scene)).toEqual(['1', '2']);
  expect(await activateSettings()).toEqual({ positions: { position: 1, index: 0 } });
});

test('several fan-outs with crashes and edits: dense sequences, each event once, by the filter of its position', async () => {
  const scene = openFanOutScene(
    { types: ['dataset.positions.*'], filter: 'status == Open' },
    { positions: { position: 0, index: 0 } },
  );
  const { append, edit, openFanOut, writeAll, activateSettings } = scene;
  let fanOuts = [await openFanOut()];
  const positions: number[] = [];
  let id = 0;
  for (let round = 0; round < 60; round += 1) {
    for (let n = 0; n < 3; n += 1) append('positions', rise((id += 1), id % 2 === 0 ? 'Open' : 'Filled'));
    if (round % 20 === 19) {
      edit(positions.length % 2 === 0 ? 'status == Filled' : 'status == Open');
      positions.push((await activateSettings(fanOuts[0]?.head.sources)).positions?.position ?? 0);
    }
    // Old fan-outs continue beside new ones, and some are dropped.
    fanOuts = [...fanOuts, await openFanOut()].slice(round % 7 === 0 ? -1 : -4);
    await Promise.all(fanOuts.map((fanOut) => fanOut.writeBlock()));
  }
  await writeAll();
  const emitted = await scene.notices();
  expect(emitted.map(({ sequence }) => Number(sequence))).toEqual(emitted.map((_, index) => index + 1));
  const filterAt = (position: number) => positions.filter((place) => position > place).length % 2;
  const expected = Array.from({ length: id }, (_, index) => index + 1).filter(
    (each) => each % 2 === filterAt(each), // the entry of entity n is at position n
  );
  expect(emitted.map(({ subject }) => Number(subject))).toEqual(expected);
});
