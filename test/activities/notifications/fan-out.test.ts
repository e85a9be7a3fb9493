import { expect, test } from '@jest/globals';
import {
  change,
  openMinting,
  platformEvent,
  POSITIONS_FROM_START,
  rise,
  SUBSCRIPTION,
  subjectsOf,
  WIDER,
} from './fan-out-scene.js';

test('events of the platform become notices once each, by type and by filter', async () => {
  const { tell, mintAll, notices } = openMinting(
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
  const { tell, mintAll, notices } = openMinting(
    { types: ['pipeline.training.*', 'dataset.positions.*'], filter: 'changed(status)', payload: 'ids' },
    { pipeline: { position: 0, index: 0 } },
  );
  tell(platformEvent('a', { model_name: 'wine' }));
  await mintAll();
  expect((await notices())[0]?.data).toEqual({ kind: 'ModelTraining', id: 'a', version: 2, generation: 1 });
});

test('after a restart events go by the declaration in force where reading goes on', async () => {
  const { append, mintAll, notices } = openMinting(
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

test('behind a gap events go by the declaration that was removed with it, for every minter', async () => {
  const scene = openMinting({ types: ['dataset.positions.created'], filter: 'status == Lost' }, POSITIONS_FROM_START);
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
  const scene = openMinting({ types: ['dataset.positions.created'], filter: 'status == Lost' }, POSITIONS_FROM_START);
  const { append, trim, mintAll } = scene;
  append('positions', { kind: 'schema', spec: WIDER, schema: 2, actor: 'ana' });
  append('positions', rise(1, 'Lost'));
  await mintAll();
  trim('positions', 2);
  append('positions', { kind: 'changes', changes: [change('2', 'Filled'), change('3', 'Lost')] });
  await mintAll();
  expect(await subjectsOf(scene)).toEqual(['1', '3']);
});

test('an edit of the filter counts from a stated place on, for every minter', async () => {
  const scene = openMinting(
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
  const numbers = [1, 2, 3].map(async (sequence) => (await scene.outbox.find(SUBSCRIPTION, sequence))?.event.sequence);
  expect(await Promise.all(numbers)).toEqual([1, 2, undefined]);
});

test('an edit whose maker died before it counted is brought into force by whoever mints next', async () => {
  const scene = openMinting(
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
  const scene = openMinting(
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
