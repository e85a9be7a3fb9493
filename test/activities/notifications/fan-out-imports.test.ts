import { expect, test } from '@jest/globals';
import { change, openFanOutScene, POSITIONS_FROM_START, rise, subjectsOf } from './fan-out-scene.js';

test('what an import holds back across a gap is told at its release, and not before', async () => {
  const scene = openFanOutScene({ types: ['dataset.positions.*'] }, POSITIONS_FROM_START);
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
  const scene = openFanOutScene({ types: ['dataset.positions.*'] }, POSITIONS_FROM_START);
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
  const scene = openFanOutScene({ types: ['dataset.positions.*'] }, begin);
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
    const { append, mintAll, notices } = openFanOutScene({ types }, begin);
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
