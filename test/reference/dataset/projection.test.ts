import { expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createDanglingFinder, findDangling } from '../../../reference/dataset/dangling-references.js';
import { parseProjection } from '../../../reference/dataset/projection.js';
import { referenceLeavesOf, referencesIn } from '../../../reference/dataset/references.js';
import { dropProblem, validateState } from '../../../reference/dataset/validators.js';
import { createColumns, parseStoredRow } from '../../../reference/columns/index.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { readRow } from '../../../reference/rows/row.js';
import { createRowStore } from '../../../reference/rows/row-store.js';
import { rowWriterOf } from '../../../reference/rows/row-validation.js';

const spec = DatasetSpec.parse({
  fields: {
    name: { type: 'text' },
    owner: {
      type: 'object',
      fields: {
        name: { type: 'text' },
        office: { type: 'object', fields: { place: { type: 'ref', dataset: 'places' } } },
      },
    },
    home: { type: 'ref', dataset: 'places' },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
    hidden: { type: 'ref', dataset: 'places', filterable: false, sortable: false },
  },
});
/** The paths of what a projection keeps. */
function pathsOf(fields: object, before = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]: [string, { type: string; fields?: object }]) =>
    field.type === 'object' ? pathsOf(field.fields ?? {}, `${before}${name}.`) : [`${before}${name}`],
  );
}

test.each<[string, string[] | undefined, string]>([
  ['name', ['name'], 'name'],
  ['name,home', ['name', 'home'], 'home,name'],
  [' home , name ', ['name', 'home'], 'home,name'],
  ['owner', ['owner.name', 'owner.office.place'], 'owner'],
  ['owner.office', ['owner.office.place'], 'owner.office'],
  ['owner.office.place,owner.name', ['owner.name', 'owner.office.place'], 'owner.name,owner.office.place'],
  ['name,name', ['name'], 'name'],
  ['id', [], 'id'],
  ['version,updated_at', [], 'updated_at,version'],
  ['*', undefined, ''],
  ['name,*', undefined, ''],
])('%j keeps the fields %j', (text, paths, canonical) => {
  const projection = parseProjection(text, spec);
  expect(projection && pathsOf(projection.fields)).toEqual(paths);
  expect(projection?.text ?? '').toBe(canonical);
});

test.each([
  ['nmae', [[0, 4, 'name']]],
  [
    'name, hoem ,x',
    [
      [6, 4, 'home'],
      [12, 1, undefined],
    ],
  ],
  ['home.id', [[0, 7, undefined]]],
  ['', [[0, 0, undefined]]],
  ['owner.nam', [[0, 9, 'owner.name']]],
])('%j has unknown fields at their positions', (text, expected) => {
  expect(() => parseProjection(text, spec)).toThrow(expect.objectContaining({ code: 'fields.unknown' }));
  try {
    parseProjection(text, spec);
  } catch (err) {
    const { problems } = err as { problems: { position: { offset: number; length: number }; suggestion?: string }[] };
    expect(problems.map(({ position }) => [position.offset, position.length])).toEqual(
      expected.map(([at, length]) => [at, length]),
    );
    for (const [at, [, , suggestion]] of expected.entries())
      if (suggestion !== undefined) expect(problems[at]?.suggestion).toBe(suggestion);
  }
});

test('a projection that is too long is refused before it is read', () => {
  expect(() => parseProjection('name,'.repeat(2_000), spec)).toThrow(
    expect.objectContaining({ code: 'fields.unknown' }),
  );
});

const contentOf = (given: object) => {
  const result = readRow(spec, given);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.content;
};

test('the references of a row are listed with the places of their ids', () => {
  const content = contentOf({
    owner: { office: { place: { id: '1' } } },
    home: { id: '2' },
    skills: [{ id: '3' }, { id: '4' }],
  });
  expect(referencesIn(spec, content)).toEqual([
    { dataset: 'places', id: 1n, pointer: '/owner/office/place/id' },
    { dataset: 'places', id: 2n, pointer: '/home/id' },
    { dataset: 'skills', id: 3n, pointer: '/skills/0/id' },
    { dataset: 'skills', id: 4n, pointer: '/skills/1/id' },
  ]);
  expect([referencesIn(spec, contentOf({})), referencesIn(spec, contentOf({ owner: {}, skills: [] }))]).toEqual([
    [],
    [],
  ]);
  expect(referenceLeavesOf(spec).map(({ path }) => path)).toEqual([
    'owner.office.place.id',
    'home.id',
    'skills.id',
    'hidden.id',
  ]);
});

const TIME = '2026-01-01T00:00:00.000Z';
const bodyOf = (id: bigint, given: object) =>
  rowWriterOf(spec)({ id, version: 1, created_at: TIME, updated_at: TIME, content: contentOf(given) });

test.each([true, false])('rows with references to nothing are found by id, with columns: %s', async (withColumns) => {
  const rows = createRowStore();
  const columns = createColumns(leavesOf(spec));
  const add = (id: bigint, given: object) => {
    const body = bodyOf(id, given);
    columns.set(rows.add({ id, version: 1, from: 1, bytes: Buffer.from(body), deleted: false }), parseStoredRow(body));
  };
  add(9n, { home: { id: '100' }, skills: [{ id: '1' }, { id: '200' }, { id: '200' }] });
  add(5n, { home: { id: '1' } });
  add(7n, { hidden: { id: '300' }, owner: { office: { place: { id: '400' } } } });
  add(6n, {});
  add(8n, { skills: [] });
  const view = {
    rows,
    version: 1,
    leaves: referenceLeavesOf(spec),
    columns: withColumns ? columns : undefined,
    exists: (_: string, id: bigint) => id < 100n,
  };
  const found = await findDangling(view);
  expect([[...found.rows].map((row) => rows.id(row)), found.references]).toEqual([[7n, 9n], 5]);
  const look = createDanglingFinder(view);
  expect(look(rows.find(9n)).map(({ field, dataset, id }) => `${field} ${dataset} ${id}`)).toEqual([
    'home places 100',
    'skills skills 200',
    'skills skills 200',
  ]);
  expect(look(rows.find(7n)).map(({ field }) => field)).toEqual(['owner.office.place', 'hidden']);
  expect(look(rows.find(5n))).toEqual([]);
});

const validated = (validators: object[], bodies: string[], before = 0) =>
  validateState({
    spec: DatasetSpec.parse({ ...spec, validators }),
    before,
    bodies,
    exists: (dataset, id) => dataset === 'places' && id === 1n,
  }).then((problems) => problems.length);
const BODIES = [
  bodyOf(1n, { name: 'a', home: { id: '1' } }),
  bodyOf(2n, { name: 'b', home: { id: '2' } }),
  bodyOf(3n, { name: 'a', skills: [{ id: '1' }] }),
];

test.each<[string, object[], number]>([
  ['enough rows', [{ rule: 'row_count', min: 3 }], 0],
  ['too few rows', [{ rule: 'row_count', min: 4 }], 1],
  ['not too many rows', [{ rule: 'row_count', max: 3 }], 0],
  ['too many rows', [{ rule: 'row_count', max: 2 }], 1],
  ['names that repeat', [{ rule: 'unique', field: 'name' }], 1],
  ['ids that do not repeat', [{ rule: 'unique', field: 'id' }], 0],
  ['values of which some are absent', [{ rule: 'unique', field: 'owner.name' }], 0],
  ['references to nothing', [{ rule: 'references', max_missing: 1 }], 1],
  ['as many references to nothing as may be', [{ rule: 'references', max_missing: 2 }], 0],
  ['several rules', [{ rule: 'row_count', min: 9 }, { rule: 'unique', field: 'name' }, { rule: 'references' }], 3],
])('a new state with %s', async (_, validators, problems) => {
  expect(await validated(validators, BODIES)).toBe(problems);
});

test.each([
  [3, 50, 0],
  [6, 50, 0],
  [7, 50, 1],
  [4, 25, 0],
  [5, 25, 1],
  [0, 0, 0],
  [100, 100, 0],
])('of %i rows three are left, at most %i %% may go: %i problems', async (before, value, problems) => {
  expect(await validated([{ rule: 'max_drop_percent', value }], BODIES, before)).toBe(problems);
  const declared = DatasetSpec.parse({ ...spec, validators: [{ rule: 'max_drop_percent', value }] });
  expect(dropProblem(declared, { before, after: 3 }) === undefined).toBe(problems === 0);
});
