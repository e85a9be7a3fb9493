import { expect, test } from 'vitest';
import { eventLeavesOf, toEventRow } from '../../../notifications/events/event-row.js';
import { canonicalText, parseFilter, requireFilter } from '../../../reference/filter/index.js';
import { compileRowPredicate } from '../../../reference/filter/row-predicate.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import type { Change } from '../../../reference/dataset/change.js';

const spec = DatasetSpec.parse({
  fields: {
    staffing_status: { type: 'enum', values: ['Open', 'Filled'] },
    customer: { type: 'object', fields: { id: { type: 'id' }, name: { type: 'text' } } },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
    old: { type: 'text' },
  },
});
const target = { dataset: 'positions', leaves: eventLeavesOf(spec) };

const TIMES = '"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-02T00:00:00.000Z"';
const row = (members: string, version: number) => `{"id":"9007199254740993",${members},"version":${version},${TIMES}}`;
const change = (body: string | null, previous?: string, version = 2): Change => ({
  id: '9007199254740993',
  version,
  at: '2026-01-02T00:00:00.000Z',
  body,
  ...(previous !== undefined && { previous }),
  actor: 'ana',
  schema: 1,
  commit: 'c',
});
const updated = change(
  row('"staffing_status":"Open","customer":{"id":"4060741400035622411","name":"N"}', 2),
  '{"staffing_status":"Filled","old":"x"}',
);
const created = change(row('"staffing_status":"Open"', 1), undefined, 1);
const deleted = change(null, '{"staffing_status":"Open","customer":{"id":"7"},"skills":[{"id":"1"}],"old":null}');

const matches = (text: string, each: Change) =>
  compileRowPredicate(requireFilter(text, target))(toEventRow(spec, each));

test.each([
  ['staffing_status == Open', [true, true, true]],
  ['changed(staffing_status)', [true, true, true]],
  ['changed(staffing_status) and old.staffing_status == Filled', [true, false, false]],
  ['old.staffing_status == Filled and new.staffing_status == Open', [true, false, false]],
  ['old.staffing_status =null= true', [false, true, false]],
  ['new.staffing_status =null= true', [false, false, true]],
  ['changed(customer.id)', [false, false, true]],
  ['not(changed(customer.id))', [true, true, false]],
  ['changed(customer.id) == false', [true, true, false]],
  ['customer.id == 4060741400035622411', [true, false, false]],
  ['skills.id == 1', [false, false, true]],
  ['old.old == x', [true, false, false]],
  ['new.old =null= true', [true, true, true]],
  ['id == 9007199254740993 and version == 2', [true, false, false]],
  ['old.version == 1', [true, false, true]],
])('%s, of an update, a create and a delete', (text, [ofUpdate, ofCreate, ofDelete]) => {
  expect([updated, created, deleted].map((each) => matches(text, each))).toEqual([ofUpdate, ofCreate, ofDelete]);
});

test('the canonical text of changed() reads back as the same', () => {
  const text = canonicalText(requireFilter('CHANGED( customer.id ) or changed(skills.id)==false', target));
  expect(text).toBe('changed(customer.id) == true or changed(skills.id) == false');
  expect(canonicalText(requireFilter(text, target))).toBe(text);
});

test('changed() of what is no field, and outside of events, is an unknown field with its place', () => {
  const result = parseFilter('staffing_status == Open and changed(salary)', target);
  expect(result).toMatchObject({
    ok: false,
    problems: [{ code: 'filter.unknown_field', position: { offset: 28, length: 15 } }],
  });
  expect(parseFilter('changed()', target)).toMatchObject({ ok: false });
  expect(parseFilter('changed(a, b)', target)).toMatchObject({ ok: false });
  expect(parseFilter('changed(customer.id) == 5', target)).toMatchObject({
    ok: false,
    problems: [{ code: 'filter.bad_type' }],
  });
});
