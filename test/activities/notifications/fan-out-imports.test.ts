import { expect, test } from 'vitest';
import { change, openFanOutScene, POSITIONS_FROM_START, rise, subjectsOf } from './fan-out-scene.js';

test('changes that an import holds back across a gap are emitted at its release', async () => {
  const scene = openFanOutScene({ types: ['dataset.positions.*'] }, POSITIONS_FROM_START);
  const { append, trim, writeAll } = scene;
  append('positions', rise(1, 'Open'));
  append('positions', { kind: 'hold', import: 'imp_1' });
  append('positions', rise(2, 'Open'));
  await writeAll();
  append('positions', rise(3, 'Open'));
  trim('positions', 4);
  append('positions', rise(4, 'Open'));
  await writeAll();
  expect(await subjectsOf(scene)).toEqual(['1', 'stream/positions']);
  append('positions', { kind: 'release', import: 'imp_1' });
  append('positions', rise(5, 'Open'));
  await writeAll();
  expect(await subjectsOf(scene)).toEqual(['1', 'stream/positions', '4', '5']);
  // The lost changes include those that were read and held back.
  expect((await scene.notices())[1]?.data).toEqual({ stream: 'positions', after: 2, position: 4, entries: 2 });
});

test('a discarded import emits no event, and later changes do', async () => {
  const scene = openFanOutScene({ types: ['dataset.positions.*'] }, POSITIONS_FROM_START);
  const { append, writeAll } = scene;
  for (const id of [1, 3]) {
    append('positions', { kind: 'hold', import: `imp_${id}` });
    append('positions', rise(id, 'Open'));
    await writeAll();
    append('positions', { kind: id === 1 ? 'discard' : 'release', import: `imp_${id}` });
    append('positions', rise(id + 1, 'Open'));
    await writeAll();
  }
  expect(await subjectsOf(scene)).toEqual(['2', '3', '4']);
});

test('a subscription that is created during an import gets all its changes at the release', async () => {
  const begin = { positions: { position: 2, index: 0, heldFrom: 2 } };
  const scene = openFanOutScene({ types: ['dataset.positions.*'] }, begin);
  const { append, writeAll } = scene;
  append('positions', { kind: 'hold', import: 'imp_1' });
  append('positions', rise(1, 'Open'));
  append('positions', rise(2, 'Open'));
  await writeAll();
  expect(await subjectsOf(scene)).toEqual([]);
  append('positions', { kind: 'release', import: 'imp_1' });
  await writeAll();
  expect(await subjectsOf(scene)).toEqual(['1', '2']);
});

test('a large import emits one event per change, and a summary to subscriptions that name its type', async () => {
  const begin = { positions: { position: 0, index: 0 } };
  for (const [types, summaries] of [
    [['dataset.positions.*'], []],
    [
      ['dataset.positions.*', 'dataset.positions.imported'],
      [{ dataset: 'positions', import: 'imp_1', changes: 450, dataset_version: 3 }],
    ],
  ] as const) {
    const { append, writeAll, notices } = openFanOutScene({ types }, begin);
    append('positions', { kind: 'hold', import: 'imp_1' });
    const changes = Array.from({ length: 450 }, (_, n) => change(String(n + 1), 'Open'));
    append('positions', { kind: 'changes', changes });
    append('positions', { kind: 'release', import: 'imp_1' });
    await writeAll();
    const emitted = await notices();
    const rows = emitted.filter(({ type }) => type === 'dataset.positions.created');
    expect(rows.map(({ subject }) => subject)).toEqual(changes.map(({ id }) => id));
    expect(emitted.filter(({ type }) => type === 'dataset.positions.imported').map(({ data }) => data)).toEqual(
      summaries,
    );
  }
});
