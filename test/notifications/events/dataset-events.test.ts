import { expect, test } from 'vitest';
import { datasetTypes, eventsOfEntry } from '../../../notifications/events/dataset-events.js';
import { matchesType } from '../../../notifications/events/event-type.js';
import { PAYLOADS } from '../../../platform/kinds/source-event.js';
import type { Change, LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { parseJson } from '../../../reference/rows/json.js';

const AT = '2026-01-02T00:00:00.000Z';
const { fields } = DatasetSpec.parse({
  fields: { title: { type: 'text' }, seats: { type: 'integer' }, skills: { type: 'list', of: { type: 'text' } } },
});
const DECLARED = { fields, generation: 7 };
const ID = '9007199254740993';
const TIMES = '"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-02T00:00:00.000Z"';
const body = (members: string, { id = ID, version = 2 } = {}) =>
  `{"id":"${id}",${members}"version":${version},${TIMES}}`;
const change = (more: Partial<Change> = {}): Change => ({
  ...{ id: ID, version: 2, at: AT, body: body('"title":"T",'), previous: '{"title":"U"}', actor: 'top-secret-actor' },
  ...{ schema: 7, commit: 'top-secret-commit', key: 'top-secret-key', ...more },
});
const created = (id: string): Change => {
  const { previous: _, ...rest } = change({ id, version: 1, body: body('"title":"T",', { id, version: 1 }) });
  return rest;
};
const entry = (content: LogContent, position = 30): LogEntry => ({ ...content, position, at: AT, token: 'token' });
const eventsOf = (...changes: Change[]) => eventsOfEntry('positions', DECLARED, entry({ kind: 'changes', changes }));
const release = (changes: Change[], position = 30) =>
  eventsOfEntry('positions', DECLARED, entry({ kind: 'release', import: 'imp_1' }, position), changes);

test.each([
  ['a row without an earlier state', created(ID), 'created'],
  ['a row with one', change(), 'updated'],
  ['no row', change({ body: null }), 'deleted'],
  ['a row that is deleted and was empty', change({ body: null, previous: '{}' }), 'deleted'],
  ['a row that changed in nothing', change({ previous: '{}' }), 'updated'],
])('%s: %s', (_, each, word) => {
  const [event, ...others] = eventsOf(each);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    ...{ type: `dataset.positions.${word}`, subject: ID, source: '/v2/datasets/positions', stream: 'positions' },
    ...{ ref: `/v2/positions/${ID}/history`, position: 30, index: 0, at: AT, schemaVersion: 7 },
  });
});

test.each([
  ['full', '"title":"T",', '{"title":"U"}', ['title'], { id: ID, title: 'T', version: 2n, ...parsed(TIMES) }],
  ['changed', '"title":"T",', '{"title":"U"}', ['title'], { id: ID, title: 'T' }],
  ['changed', '"seats":3,', '{"title":"U"}', ['title'], { id: ID }], // the title is gone
  ['changed', '"seats":3,', '{"seats":null}', ['seats'], { id: ID, seats: 3n }],
  ['changed', '"skills":[],', '{"skills":["a"]}', ['skills'], { id: ID, skills: [] }],
  ['changed', '"title":"",', '{}', [], { id: ID }],
] as const)('payload %s of a row with %s that had %s', (payload, members, previous, changed, expected) => {
  const [event] = eventsOf(change({ body: body(members), previous }));
  expect(parseJson(event?.data(payload) ?? '')).toEqual({
    ...{ dataset: 'positions', entity_id: ID, version: 2n, dataset_version: 30n, operation: 'update' },
    ...{ changed, previous: parseJson(previous), entity: expected },
  });
});

function parsed(members: string): object {
  return JSON.parse(`{${members}}`) as object;
}

test('payload ids says which row and which operation, and nothing of the row', () => {
  for (const [each, operation] of [
    [created(ID), 'create'],
    [change(), 'update'],
    [change({ body: null }), 'delete'],
  ] as const) {
    const [event] = eventsOf(each);
    expect(JSON.parse(event?.data('ids') ?? '')).toEqual({
      ...{ dataset: 'positions', entity_id: ID, version: each.version, dataset_version: 30, operation },
    });
  }
});

test('a created row is sent whole, also where only changed fields are asked for', () => {
  const [event] = eventsOf(created(ID));
  expect(event?.data('changed')).toBe(event?.data('full'));
  expect(JSON.parse(event?.data('full') ?? '')).toMatchObject({ changed: [], previous: null, entity: { title: 'T' } });
});

test('a deleted row is null, with its last values before', () => {
  const previous = '{"title":"T","skills":["a","b"]}';
  const [event] = eventsOf(change({ body: null, previous }));
  for (const payload of ['full', 'changed'] as const) {
    expect(JSON.parse(event?.data(payload) ?? '')).toMatchObject({
      ...{ changed: ['title', 'skills'], previous: { title: 'T', skills: ['a', 'b'] }, entity: null },
    });
  }
});

test.each([
  ['the greatest integer', '"seats":9223372036854775807,'],
  ['a negative integer that no number holds', '"seats":-9007199254740993,'],
  ['signs of any script', '"title":"Größe 葡萄酒 🍷 \\u0001\\"\\\\",'],
  ['a text that looks like a number', '"title":":1234567890123456789",'],
])('%s is sent digit for digit in each payload', (_, members) => {
  const [name = ''] = Object.keys(JSON.parse(`{${members.slice(0, -1)}}`) as object);
  const [event] = eventsOf(change({ body: body(members), previous: `{"${name}":null}` }));
  const value = members.slice(members.indexOf(':') + 1, -1);
  for (const payload of ['full', 'changed'] as const) {
    const data = event?.data(payload) ?? '';
    expect((parseJson(data) as { entity: Record<string, unknown> }).entity[name]).toEqual(parseJson(value));
    expect(JSON.parse(data).previous).toEqual({ [name]: null });
  }
});

test('no payload has the writer of a change or its keys', () => {
  const [event] = eventsOf(change());
  for (const payload of PAYLOADS) expect(event?.data(payload)).not.toContain('top-secret');
  expect(JSON.stringify(event)).not.toContain('top-secret');
});

test('the events of an entry have its order; a refused change has none and takes no index', () => {
  const events = eventsOf(created('3'), created('1'), { ...created('9'), refused: true }, created('2'));
  expect(events.map(({ subject, index, position }) => [subject, index, position])).toEqual([
    ['3', 0, 30],
    ['1', 1, 30],
    ['2', 2, 30],
  ]);
});

test('the same change has the same id wherever it is placed; each version and operation has its own', () => {
  const [first] = eventsOf(created('1'), change());
  const [, again] = eventsOfEntry(
    'positions',
    { fields },
    entry({ kind: 'changes', changes: [change(), created('1')] }, 99),
  );
  expect(again?.id).toBe(first?.id);
  const others = [change(), change({ version: 3 }), change({ body: null }), change({ id: '1' })].map(
    (each) => eventsOf(each)[0]?.id,
  );
  expect(new Set([...others, first?.id]).size).toBe(5);
  const elsewhere = eventsOfEntry('skills', DECLARED, entry({ kind: 'changes', changes: [change()] }));
  expect(others).not.toContain(elsewhere[0]?.id);
});

test('without a noted generation an event names no schema', () => {
  const [event] = eventsOfEntry('positions', { fields }, entry({ kind: 'changes', changes: [change()] }));
  expect(event).not.toHaveProperty('schemaVersion');
});

test('an end of an import comes after the changes that it released, and counts them', () => {
  const events = release([created('2'), { ...created('9'), refused: true }, change()]);
  expect(events.map(({ type, index }) => [type, index])).toEqual([
    ['dataset.positions.created', 0],
    ['dataset.positions.updated', 1],
    ['dataset.positions.imported', 2],
  ]);
  const [summary] = events.slice(-1);
  expect(summary).toMatchObject({ subject: 'positions', ref: '/v2/positions/imports/imp_1', schemaVersion: 1 });
  for (const payload of PAYLOADS) {
    expect(JSON.parse(summary?.data(payload) ?? '')).toEqual({
      ...{ dataset: 'positions', import: 'imp_1', changes: 2, dataset_version: 30 },
    });
  }
});

test('an import that changed nothing is announced too', () => {
  const [summary, ...others] = release([]);
  expect([JSON.parse(summary?.data('full') ?? '').changes, summary?.index, others]).toEqual([0, 0, []]);
});

test('a released change has the id that it has without an import', () => {
  expect(release([change()])[0]?.id).toBe(eventsOf(change())[0]?.id);
});

test('a new declaration is an event of the dataset', () => {
  const content = { kind: 'schema', spec: DatasetSpec.parse({ fields }), schema: 8, actor: 'top-secret' } as const;
  const [event, ...others] = eventsOfEntry('positions', DECLARED, entry(content));
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    ...{ type: 'dataset.positions.schema_changed', subject: 'positions', schemaVersion: 1, index: 0 },
    ref: '/v2/datasets/positions',
  });
  for (const payload of PAYLOADS) {
    expect(event?.data(payload)).toBe('{"dataset":"positions","schema_version":8,"dataset_version":30}');
  }
  const [again] = eventsOfEntry('positions', { fields }, entry(content, 31));
  expect(again?.id).toBe(event?.id);
});

test.each<LogContent>([
  { kind: 'heartbeat' },
  { kind: 'hold', import: 'imp_1' },
  { kind: 'discard', import: 'imp_1' },
  { kind: 'dropped', actor: 'ana' },
  { kind: 'pin', version: 3, asOf: AT, reason: 'r', actor: 'ana' },
  { kind: 'unpin', actor: 'ana' },
  { kind: 'changes', changes: [] },
])('an entry of the kind $kind without changes has no event', (content) => {
  expect(eventsOfEntry('positions', DECLARED, entry(content))).toEqual([]);
});

test('each event of a dataset has a declared type, and each declared type an event', () => {
  const schema = { kind: 'schema', spec: DatasetSpec.parse({ fields }), schema: 8, actor: 'ana' } as const;
  const emitted = [
    ...release([created('1'), change(), change({ body: null })]),
    ...eventsOfEntry('positions', DECLARED, entry(schema)),
  ];
  const declared = datasetTypes('positions', DECLARED);
  expect(emitted.map(({ type }) => type).sort()).toEqual(declared.map(({ type }) => type).sort());
  for (const { type, schemaVersion } of emitted) {
    expect(declared.find((each) => each.type === type)?.version).toBe(schemaVersion);
  }
  // A subscription to the family gets each change once: not in the summary too.
  expect(emitted.filter(({ type }) => matchesType('dataset.positions.*', type))).toHaveLength(4);
});

test('the fields that a filter names are those of the row before and after', () => {
  const [event] = eventsOf(change());
  expect(event?.row?.()).toMatchObject({
    ...{ id: ID, title: 'T', '(old)': { title: 'U', version: 1 }, '(new)': { title: 'T' } },
    '(changed)': { title: true, seats: false, skills: false },
  });
});
