import { expect, test } from 'vitest';
import { findDeclaration } from '../../../reference/stores/declaration-history.js';
import { openDatasets } from './open-datasets.js';

const FIELDS = [
  { a: { type: 'text' } },
  { a: { type: 'text' }, b: { type: 'integer' } },
  { a: { type: 'text' }, b: { type: 'integer' }, c: { type: 'date' } },
];

async function open() {
  const scene = await openDatasets();
  for (const [index, fields] of FIELDS.entries()) {
    await scene.declare('words', fields);
    await scene.put('words', index + 1, { a: 'x' }); // other entries lie in between
  }
  const { dataset } = scene.datasets.get('words');
  return { ...scene, dataset, find: (generation: number) => findDeclaration(dataset, generation) };
}
const namesOf = (found: { fields: object } | undefined) => found && Object.keys(found.fields);

test('every generation is found with the fields that it had', async () => {
  const { find } = await open();
  expect(await Promise.all([1, 2, 3].map(async (generation) => namesOf(await find(generation))))).toEqual([
    ['a'],
    ['a', 'b'],
    ['a', 'b', 'c'],
  ]);
  expect((await find(2))?.generation).toBe(2);
});

test.each([[0], [-1], [4], [NaN]])('generation %d was never declared', async (generation) => {
  expect(await (await open()).find(generation)).toBeUndefined();
});

test('a generation whose entry was purged is not found, the later ones are', async () => {
  const { dataset, find } = await open();
  const last = dataset.replica.declaration?.position ?? 0;
  const read = dataset.log.read.bind(dataset.log);
  const purged = {
    ...dataset,
    log: { ...dataset.log, read: async (at: number) => (at < last ? undefined : read(at)) },
  };
  expect(namesOf(await find(1))).toEqual(['a']);
  expect(await findDeclaration(purged, 1)).toBeUndefined();
  expect(namesOf(await findDeclaration(purged, 3))).toEqual(['a', 'b', 'c']);
});

test('after a dataset was dropped, declarations before the drop are not found', async () => {
  const { declarations, declare, datasets, find } = await open();
  await declarations.drop({ name: 'words', actor: 'ana' });
  expect(await find(3)).toBeUndefined();
  await declare('words', { z: { type: 'text' } });
  const { dataset } = datasets.get('words');
  expect(await findDeclaration(dataset, 3)).toBeUndefined();
  expect(namesOf(await findDeclaration(dataset, 4))).toEqual(['z']);
});
