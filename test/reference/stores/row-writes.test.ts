import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createDatasets, type Datasets } from '../../../reference/stores/datasets.js';
import { findDeclaration } from '../../../reference/stores/declaration-history.js';
import { createDeclarations, type Declarations } from '../../../reference/stores/declarations.js';
import { createReferenceAudits } from '../../../reference/stores/reference-audits.js';
import { createRowWrites, type RowWrites } from '../../../reference/stores/row-writes.js';
import { parseJson } from '../../../reference/rows/json.js';

const text = { type: 'text' };
const SKILLS = { name: { ...text, required: true, max_length: 9 }, level: { type: 'integer' } };
const PEOPLE = {
  name: text,
  best: { type: 'ref', dataset: 'skills', on_delete: 'keep' },
  boss: { type: 'ref', dataset: 'people' },
};

let datasets: Datasets;
let declarations: Declarations;
let writes: RowWrites;
const declare = (name: string, fields: object, force = false) =>
  declarations.declare({ name, spec: DatasetSpec.parse({ fields }), actor: 'test', force });
beforeEach(async () => {
  datasets = createDatasets({ database: createMemoryDatabase(), indexed: true });
  await datasets.start();
  declarations = createDeclarations({ datasets });
  writes = createRowWrites({ datasets });
  await declare('skills', SKILLS);
  await declare('people', PEOPLE);
});
afterEach(() => datasets.stop());

const put = (dataset: string, id: bigint, row: unknown, more = {}) =>
  writes.put({ dataset, id, actor: 'test', ...more }, row);
const patch = (id: bigint, change: unknown) => writes.patch({ dataset: 'skills', id, actor: 'test' }, change);
const remove = (dataset: string, id: bigint) => writes.remove({ dataset, id, actor: 'test' });
const stored = (dataset: string, id: bigint) => {
  const body = datasets.get(dataset).dataset.replica.latest(String(id))?.body;
  return body == null ? body : (parseJson(body) as Record<string, unknown>);
};

test('a put creates, replaces, or changes nothing, and records what it changed', async () => {
  const first = await put('skills', 7n, { name: 'a', level: 3n });
  expect(first.change).toMatchObject({ id: '7', version: 1 });
  expect(first.change).not.toHaveProperty('previous');
  expect(stored('skills', 7n)).toMatchObject({ id: '7', name: 'a', level: 3n, version: 1n });
  expect((await put('skills', 7n, { level: 3n, name: 'a' })).change).toBeUndefined();
  const second = await put('skills', 7n, { name: 'b' });
  expect([second.state?.version, parseJson(second.change?.previous ?? '')]).toEqual([2, { name: 'a', level: 3n }]);
  expect(stored('skills', 7n)?.created_at).toBe(
    parseJson(first.state?.body ?? '{}') && (parseJson(first.state?.body ?? '{}') as { created_at: string }).created_at,
  );
});

test('a patch changes the members that it names', async () => {
  await put('skills', 7n, { name: 'a', level: 3n });
  await patch(7n, { level: null });
  expect(stored('skills', 7n)).not.toHaveProperty('level');
  expect((await patch(7n, {})).change).toBeUndefined();
  await expect(patch(7n, { name: null })).rejects.toMatchObject({ code: 'entity.invalid' });
  await expect(patch(8n, {})).rejects.toMatchObject({ code: 'entity.not_found' });
});

test('a deleted entity comes back with the next version and a new beginning', async () => {
  await put('skills', 7n, { name: 'a' });
  const { change } = await remove('skills', 7n);
  expect([change?.body, parseJson(change?.previous ?? '')]).toEqual([null, { name: 'a' }]);
  await expect(remove('skills', 7n)).rejects.toMatchObject({ code: 'entity.deleted' });
  await expect(patch(7n, {})).rejects.toMatchObject({ code: 'entity.deleted' });
  await put('skills', 7n, { name: 'b' });
  expect(stored('skills', 7n)).toMatchObject({ version: 3n, name: 'b' });
});

test.each<[string, unknown, string]>([
  ['a row without what is required', {}, 'entity.required'],
  ['a row that is too long', { name: 'x'.repeat(10) }, 'entity.too_long'],
  ['an unknown member', { name: 'a', other: 1n }, 'entity.unknown_field'],
  ['another id', { name: 'a', id: '8' }, 'entity.wrong_id'],
  ['no object', [], 'entity.wrong_type'],
])('%s is refused, and nothing is written', async (_, row, code) => {
  await expect(put('skills', 7n, row)).rejects.toMatchObject({ code: 'entity.invalid', problems: [{ code }] });
  expect(stored('skills', 7n)).toBeUndefined();
  expect(() => writes.wouldChange({ dataset: 'skills', id: 7n }, row)).toThrow(
    expect.objectContaining({ code: 'entity.invalid' }),
  );
});

test('references must lead somewhere: to a row, to itself, or to a row of the same block', async () => {
  const invalid = { code: 'entity.invalid', problems: [{ code: 'entity.unknown_reference' }] };
  await expect(put('people', 1n, { best: { id: '5' } })).rejects.toMatchObject(invalid);
  await put('skills', 5n, { name: 'a' });
  await put('people', 1n, { best: { id: '5' }, boss: { id: '1' } });
  await expect(put('people', 2n, { boss: { id: '3' } })).rejects.toMatchObject(invalid);
  await put('people', 2n, { boss: { id: '3' } }, { together: new Set([2n, 3n]) });
  await remove('skills', 5n); // the reference is kept
  await expect(put('people', 4n, { best: { id: '5' } })).rejects.toMatchObject(invalid);
});

test('a write that is only tried says what it would do', async () => {
  const wouldChange = (row: unknown) => writes.wouldChange({ dataset: 'skills', id: 7n }, row);
  expect(wouldChange({ name: 'a' })).toBe('create');
  await put('skills', 7n, { name: 'a' });
  expect([wouldChange({ name: 'a' }), wouldChange({ name: 'b' })]).toEqual([undefined, 'update']);
  await remove('skills', 7n);
  expect(wouldChange({ name: 'a' })).toBe('create');
});

test('while an import holds a dataset, only it writes', async () => {
  const { follower } = datasets.get('skills').dataset;
  await follower.append(() => ({ kind: 'hold', import: 'imp' }));
  await expect(put('skills', 7n, { name: 'a' })).rejects.toMatchObject({ code: 'import.running' });
  await put('skills', 7n, { name: 'a' }, { import: 'imp' });
  await expect(declare('skills', { ...SKILLS, more: text })).rejects.toMatchObject({ code: 'import.running' });
  expect(datasets.get('skills').dataset.replica.rows.live()).toBe(0);
});

test('a narrower declaration needs force, and rows that fit it', async () => {
  await put('skills', 7n, { name: 'abcdef', level: 3n });
  const narrower = { name: { ...text, required: true, max_length: 5 } };
  await expect(declare('skills', narrower)).rejects.toMatchObject({ code: 'dataset.schema_conflict' });
  await expect(declare('skills', narrower, true)).rejects.toMatchObject({
    code: 'dataset.schema_conflict',
    problems: [{ code: 'dataset.schema_conflict' }],
  });
  expect(
    (await declare('skills', { name: SKILLS.name, level: { ...SKILLS.level, required: true } }, true)).outcome,
  ).toBe('changed');
  expect((await declare('skills', { ...SKILLS, level: { ...SKILLS.level, required: true } }, true)).outcome).toBe(
    'unchanged',
  );
});

test('earlier declarations are found by their generations', async () => {
  await declare('skills', { ...SKILLS, more: text });
  await declare('skills', { ...SKILLS, more: text, most: text });
  const { dataset } = datasets.get('skills');
  const found = await Promise.all([1, 2, 3, 4].map((generation) => findDeclaration(dataset, generation)));
  expect(found.map((each) => each && [each.generation, Object.keys(each.fields).length])).toEqual([
    [1, 2],
    [2, 3],
    [3, 4],
    undefined,
  ]);
});

test('a dataset that others refer to is neither dropped nor referred to before it is there', async () => {
  const drop = (name: string) => declarations.drop({ name, actor: 'test' });
  await expect(drop('skills')).rejects.toMatchObject({ code: 'entity.restricted' });
  await expect(declare('teams', { lead: { type: 'ref', dataset: 'nothing' } })).rejects.toMatchObject({
    code: 'dataset.invalid',
  });
  await drop('people'); // its references to itself do not hold it
  await drop('skills');
  await expect(drop('skills')).rejects.toMatchObject({ code: 'dataset.not_found' });
  expect(datasets.find('skills')).toBeUndefined();
});

test('an audit finds references to nothing, page by page, and again after a change', async () => {
  await put('skills', 5n, { name: 'a' });
  for (const id of [1n, 2n, 3n]) await put('people', id, { best: { id: '5' } });
  const audits = createReferenceAudits({ datasets });
  const page = async (after?: bigint) => {
    const { items, hasMore, audit } = await audits.page('people', { after, size: 2 });
    return [items.map(({ id, references }) => [id, references[0]?.id]), hasMore, audit.references];
  };
  expect([audits.last('people'), await page()]).toEqual([undefined, [[], false, 0]]);
  await remove('skills', 5n);
  expect(await page()).toEqual([
    [
      [1n, 5n],
      [2n, 5n],
    ],
    true,
    3,
  ]);
  expect(await page(2n)).toEqual([[[3n, 5n]], false, 3]);
  expect(await page(3n)).toEqual([[], false, 3]);
  await put('people', 2n, {});
  expect(await page()).toEqual([
    [
      [1n, 5n],
      [3n, 5n],
    ],
    false,
    2,
  ]);
  expect(audits.last('people')).toMatchObject({ references: 2, rows: 2 });
  await expect(audits.page('nothing', { size: 1 })).rejects.toMatchObject({ code: 'dataset.not_found' });
});
