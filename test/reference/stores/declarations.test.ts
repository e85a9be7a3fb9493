import { expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { openDatasets } from './open-datasets.js';

const TEXT = { name: { type: 'text' } };
const conflict = { code: 'dataset.schema_conflict' };

test('a declaration is created once; the same one again changes nothing, another one raises the generation', async () => {
  const { declare, datasets } = await openDatasets();
  expect(await declare('words', TEXT)).toMatchObject({ outcome: 'created', declaration: { generation: 1 } });
  const { position } = datasets.get('words').dataset.replica;
  expect(await declare('words', TEXT)).toMatchObject({ outcome: 'unchanged', declaration: { generation: 1 } });
  expect(datasets.get('words').dataset.replica.position).toBe(position);
  const wider = { ...TEXT, size: { type: 'integer' } };
  expect(await declare('words', wider)).toMatchObject({ outcome: 'changed', declaration: { generation: 2 } });
});

test('the order of fields is part of a declaration: rows are written in it', async () => {
  const { declare, put, datasets } = await openDatasets();
  await declare('words', { a: { type: 'text' }, b: { type: 'text' } });
  await put('words', 1, { b: 'B', a: 'A' });
  expect((await declare('words', { b: { type: 'text' }, a: { type: 'text' } })).outcome).toBe('changed');
  await put('words', 2, { a: 'A', b: 'B' });
  const text = datasets.get('words').dataset.replica.latest('2')?.body ?? '';
  expect(text.indexOf('"b"')).toBeLessThan(text.indexOf('"a"'));
});

test('a reference needs a declared dataset, except to the dataset itself', async () => {
  const { declare } = await openDatasets();
  const other = { skill: { type: 'ref', dataset: 'skills' } };
  await expect(declare('people', other)).rejects.toMatchObject({
    ...{ code: 'dataset.invalid', message: expect.stringContaining('skills') },
  });
  await declare('skills', { parent: { type: 'ref', dataset: 'skills' } });
  expect((await declare('people', other)).outcome).toBe('created');
});

test.each([
  ['a field that is gone', { name: { type: 'text' }, size: { type: 'integer' } }, TEXT],
  ['another type', TEXT, { name: { type: 'integer' } }],
  ['a shorter text', { name: { type: 'text', max_length: 9 } }, { name: { type: 'text', max_length: 3 } }],
  [
    'an enum with fewer values',
    { name: { type: 'enum', values: ['A', 'B'] } },
    { name: { type: 'enum', values: ['A'] } },
  ],
  ['a value that is required', TEXT, { name: { type: 'text', required: true } }],
])('%s is refused without force, also for a dataset without rows', async (_, before, after) => {
  const { declare, datasets } = await openDatasets();
  await declare('words', before);
  await expect(declare('words', after)).rejects.toMatchObject({
    ...conflict,
    message: expect.stringMatching(/force=true/),
  });
  expect(datasets.get('words').declaration.generation).toBe(1);
  expect((await declare('words', after, true)).outcome).toBe('changed');
});

test('forced, it is taken when every live row fits; deleted rows and earlier versions do not count', async () => {
  const { declare, put, remove } = await openDatasets();
  await declare('words', { name: { type: 'text', max_length: 9 } });
  const shorter = { name: { type: 'text', max_length: 3 } };
  await put('words', 1, { name: 'long name' });
  await put('words', 2, { name: 'long name' });
  await expect(declare('words', shorter, true)).rejects.toMatchObject({
    ...conflict,
    problems: [
      { message: 'words 1 does not fit the new declaration' },
      { message: expect.stringMatching(/^words 2 /) },
    ],
  });
  await remove('words', 1);
  await put('words', 2, { name: 'abc' });
  expect((await declare('words', shorter, true)).outcome).toBe('changed');
  await expect(put('words', 3, { name: 'abcd' })).rejects.toMatchObject({ code: 'entity.invalid' });
});

test('no more than twenty rows that do not fit are named', async () => {
  const { declare, put } = await openDatasets();
  await declare('words', TEXT);
  for (let id = 1; id <= 30; id += 1) await put('words', id, { name: 'x' });
  const err: unknown = await declare('words', { name: { type: 'integer' } }, true).catch((thrown: unknown) => thrown);
  expect(err).toMatchObject(conflict);
  expect((err as { problems: unknown[] }).problems).toHaveLength(20);
});

test('the check sees the declaration in force, and what it throws leaves everything as it was', async () => {
  const { declarations, declare, datasets } = await openDatasets();
  await declare('words', TEXT);
  const seen: (number | undefined)[] = [];
  const spec = DatasetSpec.parse({ fields: { ...TEXT, size: { type: 'integer' } } });
  const check = (current: { generation: number } | undefined): void => {
    seen.push(current?.generation);
    if (current?.generation === 1) throw new Error('changed meanwhile');
  };
  const declaring = declarations.declare({ name: 'words', spec, actor: 'ana', force: false, check });
  await expect(declaring).rejects.toThrow('changed meanwhile');
  await expect(declarations.drop({ name: 'words', actor: 'ana', check })).rejects.toThrow('changed meanwhile');
  expect(seen).toEqual([1, 1]);
  expect(datasets.get('words').declaration.generation).toBe(1);
});

test('two processes that declare at once agree on one order of their declarations', async () => {
  const one = await openDatasets();
  const other = await openDatasets(one.database);
  const wider = { ...TEXT, size: { type: 'integer' } };
  const [first, second] = await Promise.allSettled([one.declare('words', TEXT), other.declare('words', wider)]);
  const found = [];
  for (const { datasets } of [one, other]) {
    await datasets.get('words').dataset.follower.catchUp();
    found.push(datasets.get('words').declaration);
  }
  expect(found[0]).toEqual(found[1]);
  // The narrower one came first, or was refused after the wider one.
  expect(second.status).toBe('fulfilled');
  expect(Object.keys(found[0]?.spec.fields ?? {})).toEqual(['name', 'size']);
  if (first.status === 'rejected') expect(first.reason).toMatchObject(conflict);
  else expect(found[0]?.generation).toBe(2);
});

test('while an import holds the dataset it is neither declared nor dropped', async () => {
  const { declare, declarations, datasets } = await openDatasets();
  await declare('words', TEXT);
  const { dataset } = datasets.get('words');
  await dataset.follower.append(() => ({ kind: 'hold', import: 'imp_1' }));
  const running = { code: 'import.running', message: 'import imp_1 holds words' };
  await expect(declare('words', { ...TEXT, size: { type: 'integer' } })).rejects.toMatchObject(running);
  await expect(declarations.drop({ name: 'words', actor: 'ana' })).rejects.toMatchObject(running);
  expect((await declare('words', TEXT)).outcome).toBe('unchanged');
  await dataset.follower.append(() => ({ kind: 'release', import: 'imp_1' }));
  await declarations.drop({ name: 'words', actor: 'ana' });
});

test('a dataset is dropped only when no other one refers to it; its own references do not hold it', async () => {
  const { declare, declarations, datasets } = await openDatasets();
  await declare('skills', { parent: { type: 'ref', dataset: 'skills' } });
  await declare('people', { skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } } });
  const drop = (name: string) => declarations.drop({ name, actor: 'ana' });
  await expect(drop('skills')).rejects.toMatchObject({
    code: 'entity.restricted',
    message: expect.stringMatching(/"people" refers/),
  });
  await drop('people');
  await drop('skills');
  expect(datasets.find('skills')).toBeUndefined();
  await expect(drop('skills')).rejects.toMatchObject({ code: 'dataset.not_found' });
});

test('a dataset that is declared again goes on counting, and has none of its rows', async () => {
  const { declare, declarations, put, datasets } = await openDatasets();
  await declare('words', TEXT);
  await put('words', 1, { name: 'a' });
  await declarations.drop({ name: 'words', actor: 'ana' });
  expect(await declare('words', { size: { type: 'integer' } })).toMatchObject({
    ...{ outcome: 'created', declaration: { generation: 2 } },
  });
  const { replica } = datasets.get('words').dataset;
  expect(replica.rows.live()).toBe(0);
  const { state } = await put('words', 1, { size: 5n });
  expect(state?.version).toBeGreaterThan(1);
});

test('a first declaration is made once by many processes, and never over one that was changed or dropped', async () => {
  const first = await openDatasets();
  const second = await openDatasets(first.database);
  const spec = DatasetSpec.parse({ fields: TEXT });
  const own = DatasetSpec.parse({ fields: { ...TEXT, size: { type: 'integer' } } });
  const declareFirst = ({ declarations }: typeof first) =>
    declarations.declareFirst({ name: 'words', spec, actor: 'slipway' });
  await Promise.all([declareFirst(first), declareFirst(second)]);
  expect(first.datasets.get('words').dataset.replica).toMatchObject({ generation: 1, position: 1 });

  await first.declarations.declare({ name: 'words', spec: own, actor: 'ana', force: false });
  await declareFirst(second);
  expect(first.datasets.get('words').declaration.spec).toEqual(own);
  await first.declarations.drop({ name: 'words', actor: 'ana' });
  await declareFirst(first);
  await declareFirst(await openDatasets(first.database));
  expect(() => first.datasets.get('words')).toThrow('there is no dataset');
});

test('an enum may become a text, which accepts all of its values', async () => {
  const { declare } = await openDatasets();
  await declare('words', { name: { type: 'enum', values: ['A', 'B'] } });
  await expect(declare('words', { name: { type: 'text', max_length: 9 } })).rejects.toMatchObject(conflict);
  expect((await declare('words', { name: { type: 'text', suggested_values: ['A', 'B'] } })).outcome).toBe('changed');
});
