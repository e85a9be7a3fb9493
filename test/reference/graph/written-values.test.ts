import { beforeAll, expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { codeOf, createGraphOf } from './small-graph.js';

const spec = DatasetSpec.parse({
  fields: {
    text: { type: 'text' },
    integer: { type: 'integer' },
    id_of: { type: 'id' },
    decimal: { type: 'decimal' },
    boolean: { type: 'boolean' },
    date: { type: 'date' },
    timestamp: { type: 'timestamp' },
    state: { type: 'enum', values: ['On Hold', 'Open', 'true'] },
    inner: {
      type: 'object',
      fields: { text: { type: 'text' }, deep: { type: 'object', fields: { date: { type: 'date' } } } },
    },
    texts: { type: 'list', of: { type: 'text' } },
    integers: { type: 'list', of: { type: 'integer' } },
    ids: { type: 'list', of: { type: 'id' } },
    states: { type: 'list', of: { type: 'enum', values: ['a', 'b c'] } },
    dates: { type: 'list', of: { type: 'date' } },
    booleans: { type: 'list', of: { type: 'boolean' } },
    constructor: { type: 'text' },
    has_own_property: { type: 'text' },
  },
});
const SELECTION = `{ text integer id_of decimal boolean date timestamp state inner { text deep { date } } texts integers ids states dates booleans constructor has_own_property }`;

const ROWS: Record<string, unknown>[] = [
  {},
  { text: '', integer: 0n, decimal: 0, boolean: false, texts: [], integers: [], states: [], inner: {} },
  { text: 'a "quote", a \\ and a\nline', inner: { text: '\u2028\u0001', deep: {} } },
  { text: '😀 é 東', inner: { deep: { date: '0001-01-01' } } },
  {
    integer: 2n ** 63n - 1n,
    integers: [-(2n ** 63n), 2n ** 53n + 1n],
    id_of: 2n ** 63n - 1n,
    ids: [1n, 2n ** 63n - 1n],
  },
  { decimal: 1e21, timestamp: '9999-12-31T23:59:59.999Z', dates: ['9999-12-31', '2024-02-29'] },
  { decimal: -5e-324 },
  { decimal: 1.7976931348623157e308 },
  { state: 'On Hold', states: ['a', 'b c', 'a'], booleans: [true, false, true] },
  { state: 'true' },
  { texts: ['', '"', '1', 'null'] },
  { constructor: 'builder', has_own_property: 'x' },
];

let graph: Awaited<ReturnType<typeof createGraphOf>>;
beforeAll(async () => {
  graph = await createGraphOf({ rows: spec }, { rows: new Map(ROWS.map((row, at) => [BigInt(at + 1), row])) });
});

const NAMES: Record<string, string> = { 'On Hold': 'On_Hold', true: 'v_true', 'b c': 'b_c' };
/** A value as JSON of the graph has it. Integers of 64 bits are compared as text beside. */
const shown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shown);
  return typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : value;
};

test.each(ROWS.map((_, at) => at))('row %i is answered with the values that were stored', async (at) => {
  const { row } = (await graph.ask(`{ row(id: ${at + 1}) ${SELECTION} }`)).data as { row: Record<string, unknown> };
  const given = ROWS[at] ?? {};
  const { inner, state, states, id_of, ids, ...plain } = given;
  for (const name of [
    'text',
    'integer',
    'decimal',
    'boolean',
    'date',
    'timestamp',
    'constructor',
    'has_own_property',
  ]) {
    expect([name, row[name]]).toEqual([name, Object.hasOwn(plain, name) ? shown(plain[name]) : null]);
  }
  for (const name of ['texts', 'integers', 'dates', 'booleans']) {
    expect([name, row[name]]).toEqual([name, shown(plain[name] ?? [])]);
  }
  expect(row.state).toBe(state === undefined ? null : (NAMES[state as string] ?? state));
  expect(row.states).toEqual(((states ?? []) as string[]).map((each) => NAMES[each] ?? each));
  expect(row.id_of).toBe(id_of === undefined ? null : (id_of as bigint).toString());
  expect(row.ids).toEqual(((ids ?? []) as bigint[]).map(String));
  const { text = null, deep } = (inner ?? {}) as { text?: string; deep?: { date?: string } };
  expect(row.inner).toEqual(
    inner === undefined ? null : { text, deep: deep === undefined ? null : { date: deep.date ?? null } },
  );
});

test('integers of 64 bits are written with all their digits', async () => {
  const view = graph.views.get('rows');
  expect(view).toBeDefined();
  const { cost } = await graph.ask('{ row(id: 5) { integer integers } }');
  expect(cost).toBe(3);
  // Parsed as JSON they would be rounded: the text itself counts.
  const text = await graph.text('{ row(id: 5) { integer integers ids } }');
  expect(text).toContain('"integer":"9223372036854775807"');
  expect(text).toContain('"integers":["-9223372036854775808","9007199254740993"]');
  expect(text).toContain('"ids":["1","9223372036854775807"]');
});

test('all rows of a page are written as each of them alone', async () => {
  const { data } = await graph.ask(
    `{ rows(first: 50, order_by: "id") { nodes ${SELECTION} edges { node ${SELECTION} } } }`,
  );
  const { nodes, edges } = data.rows as { nodes: unknown[]; edges: { node: unknown }[] };
  expect(nodes).toHaveLength(ROWS.length);
  expect(edges.map(({ node }) => node)).toEqual(nodes);
  for (const [at, node] of nodes.entries()) {
    expect((await graph.ask(`{ row(id: ${at + 1}) ${SELECTION} }`)).data).toEqual({ row: node });
  }
});

test('names of types are answered at every level', async () => {
  const { data } = await graph.ask(
    '{ __typename rows(first: 1) { __typename edges { __typename node { __typename inner { __typename } } } pageInfo { __typename } } datasets { __typename } }',
  );
  expect(data).toEqual({
    __typename: 'Query',
    rows: {
      __typename: 'RowConnection',
      edges: [{ __typename: 'RowEdge', node: { __typename: 'Row', inner: null } }],
      pageInfo: { __typename: 'PageInfo' },
    },
    datasets: [{ __typename: 'DatasetState' }],
  });
});

test('one field under several names, and in several parts, is written for each', async () => {
  const { data } = await graph.ask(
    '{ row(id: 4) { a: text b: text inner { text } inner { deep { date } } c: inner { d: deep { e: date } } } row(id: 4) { text } }',
  );
  expect(data).toEqual({
    row: {
      ...{ a: '😀 é 東', b: '😀 é 東', text: '😀 é 東' },
      inner: { text: null, deep: { date: '0001-01-01' } },
      c: { d: { e: '0001-01-01' } },
    },
  });
});

test('a row without a member that its declaration demands now is refused, not shown without it', async () => {
  const { fields } = spec;
  const strict = DatasetSpec.parse({ fields: { ...fields, text: { type: 'text', required: true } } });
  const later = await createGraphOf({ rows: strict }, { rows: new Map([[1n, { text: 'here' }]]) });
  const view = later.views.get('rows');
  const body =
    '{"id":"2","integer":5,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}';
  view?.rows.add({ id: 2n, version: 1, from: view.version, bytes: Buffer.from(body), deleted: false });
  expect((await later.ask('{ row(id: 2) { integer } }')).data).toEqual({ row: { integer: 5 } });
  const refusal = await later.refused('{ row(id: 2) { integer text } }');
  expect([codeOf(refusal), refusal.path]).toEqual(['dataset.schema_conflict', ['row', 'text']]);
});
