import { expect, test } from 'vitest';
import { openReferences } from '../../../reference/stores/dataset-references.js';
import { openDatasets } from './open-datasets.js';

async function open(indexed = true) {
  const scene = await openDatasets(undefined, { indexed });
  await scene.declare('skills', { name: { type: 'text' } });
  await scene.declare('places', { name: { type: 'text' } });
  await scene.declare('people', {
    best: { type: 'ref', dataset: 'skills', on_delete: 'keep' },
    home: { type: 'ref', dataset: 'places', on_delete: 'keep' },
  });
  await scene.put('skills', 1, { name: 'a' });
  const references = (targets?: (name: string) => boolean) =>
    openReferences(scene.datasets, scene.datasets.get('people'), targets);
  return { ...scene, references };
}

test('what exists is what readers of the target see at this moment, and stays so', async () => {
  const { references, put, remove } = await open();
  const before = references();
  expect([before.exists('skills', 1n), before.exists('skills', 2n), before.exists('places', 1n)]).toEqual([
    ...[true, false, false],
  ]);
  await put('skills', 2, { name: 'b' });
  await remove('skills', 1);
  expect([before.exists('skills', 1n), before.exists('skills', 2n)]).toEqual([true, false]);
  const after = references();
  expect([after.exists('skills', 1n), after.exists('skills', 2n)]).toEqual([false, true]);
});

test('the versions of the targets change with any of them, and with no other dataset', async () => {
  const { references, put, declare } = await open();
  const first = references().versions;
  expect(references().versions).toBe(first);
  await put('people', 1, {});
  await declare('others', { name: { type: 'text' } });
  expect(references().versions).toBe(first);
  await put('places', 1, { name: 'x' });
  expect(references().versions).not.toBe(first);
});

test('a target that is not selected is not opened, and what it has is taken for there', async () => {
  const { references } = await open();
  const chosen = references((name) => name === 'places');
  expect(chosen.leaves.map(({ path }) => path)).toEqual(['home.id']);
  expect([chosen.exists('skills', 99n), chosen.exists('places', 99n)]).toEqual([true, false]);
});

test.each([true, false])(
  'columns are those of the declaration in force; a process with an index: %s',
  async (indexed) => {
    const { references, datasets } = await open(indexed);
    const { columns } = references();
    expect(columns !== undefined).toBe(indexed);
    if (indexed) expect(columns).toBe(datasets.get('people').dataset.index?.built?.columns);
  },
);

test('a target that was not declared here is an error of the caller', async () => {
  const { datasets } = await open();
  const ready = datasets.get('people');
  const none = {
    ...datasets,
    get: (name: string) => (name === 'skills' ? datasets.get('absent') : datasets.get(name)),
  };
  expect(() => openReferences(none, ready)).toThrow(/absent/);
});
