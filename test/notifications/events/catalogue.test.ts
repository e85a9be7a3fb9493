import { expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { exampleEvent } from '../../../api/notifications/example-event.js';
import { PLATFORM_TYPES } from '../../../notifications/events/catalogue.js';
import { datasetTypes } from '../../../notifications/events/dataset-events.js';
import { envelopeSchema } from '../../../notifications/events/envelope.js';
import { platformLeaves } from '../../../notifications/events/platform-leaves.js';
import { createSchemaCheck, type SchemaFault } from '../../../notifications/events/schema-check.js';
import { eventsOfEntry } from '../../../notifications/events/dataset-events.js';
import type { Change } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { PAYLOADS } from '../../../platform/kinds/source-event.js';

const { fields } = DatasetSpec.parse({
  fields: {
    title: { type: 'text', required: true, max_length: 3 },
    status: { type: 'enum', values: ['Open', 'Filled'] },
    customer: { type: 'object', fields: { id: { type: 'id', required: true }, since: { type: 'date' } } },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
    rate: { type: 'decimal' },
    seats: { type: 'integer' },
    open: { type: 'boolean' },
    seen: { type: 'timestamp' },
  },
});
const DECLARED = { fields, generation: 7 };
const ALL = [...datasetTypes('positions', DECLARED), ...PLATFORM_TYPES];
const ajv = new Ajv2020({ strict: false, validateFormats: false });
function compile(schema: object) {
  const validate = ajv.compile(schema);
  return (data: unknown): unknown[] => [validate(data), validate.errors];
}

test.each(ALL.map((each) => [each.type, each] as const))('the example of %s is as its schema says', (_, each) => {
  const matchesData = compile(each.schema);
  const matchesEnvelope = compile(envelopeSchema(each));
  expect(matchesData(each.example.data)).toEqual([true, null]);
  const event = JSON.parse(exampleEvent(each, { baseUrl: 'https://slipway.example' }).body);
  expect(matchesEnvelope(event)).toEqual([true, null]);
  expect(event.dataschema).toBe(`https://slipway.example/v2/event-types/${each.type}/${each.version}`);
  // A schema that takes everything would say nothing.
  for (const name of each.schema.required ?? []) {
    const { [name]: gone, ...rest } = each.example.data;
    expect([name, gone === undefined, matchesData(rest)[0]]).toEqual([name, false, false]);
  }
  const { id: __, ...nameless } = event;
  expect(matchesEnvelope(nameless)[0]).toBe(false);
});

test('types have one name each, and every platform type says what filters can name', () => {
  expect(new Set(ALL.map(({ type }) => type)).size).toBe(ALL.length);
  for (const { type } of PLATFORM_TYPES) expect([type, platformLeaves(type)?.size ?? 0]).not.toEqual([type, 0]);
  expect(
    ALL.filter(({ type }) => type.startsWith('dataset.')).map(({ type, version }) => `${type}/${version}`),
  ).toEqual(
    ['created/7', 'updated/7', 'deleted/7', 'schema_changed/1', 'imported/1'].map((end) => `dataset.positions.${end}`),
  );
});

const TIMES = '"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-02T00:00:00.000Z"';
const row = (members: string) => `{"id":"9007199254740993",${members},"version":2,${TIMES}}`;
const change = (body: string | null, previous?: string): Change => ({
  ...{ id: '9007199254740993', version: 2, at: '2026-01-02T00:00:00.000Z', body, actor: 'ana', schema: 7, commit: 'c' },
  ...(previous !== undefined && { previous }),
});
const FULL = row(
  '"title":"T","status":"Open","customer":{"id":"7"},"skills":[{"id":"1"}],"rate":1.5,"seats":9007199254740993',
);

function faultsOf(changes: Change[]): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const check = createSchemaCheck({ onFault: (fault) => void faults.push(fault) });
  const entry = { kind: 'changes' as const, changes, position: 3, at: '2026-01-02T00:00:00.000Z', token: 't' };
  for (const event of eventsOfEntry('positions', DECLARED, entry)) {
    for (const payload of PAYLOADS) check(event, event.data(payload), DECLARED);
  }
  return faults;
}

test('events of real changes are as their schemas say, whatever payload is asked for', () => {
  const updated = change(FULL, '{"status":null,"title":"U","customer":{"id":"8","since":"2020-01-01"}}');
  const deleted = change(null, '{"title":"T","rate":null}');
  expect(faultsOf([change(FULL), updated, deleted])).toEqual([]);
});

test('data that violate the schema are counted and reported, and nothing is thrown', () => {
  const wrong = change(row('"title":"too long","status":"Lost"'));
  expect(faultsOf([wrong, wrong])).toMatchObject([
    { type: 'dataset.positions.created', version: 7, count: 1, problems: expect.stringContaining('title') },
    { count: 2 },
    { count: 3 },
    { count: 4 },
  ]);
});
