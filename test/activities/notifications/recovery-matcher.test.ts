import { expect, test } from 'vitest';
import { createRecoveryMatcher } from '../../../activities/notifications/recovery-matcher.js';
import type { OutboxEvent } from '../../../notifications/kinds/outbox-event.js';
import { RecoverySpec } from '../../../notifications/kinds/recovery.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const { fields } = DatasetSpec.parse({ fields: { status: { type: 'text' }, seats: { type: 'integer' } } });
const SUBSCRIPTION = { status: { declarations: { positions: { fields } } } } as unknown as Subscription;
const TIMES = '"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-02T00:00:00.000Z"';
const row = (members: string) => `{"id":"42",${members},"version":2,${TIMES}}`;
const event = (data: string, more: Partial<OutboxEvent> = {}): OutboxEvent => ({
  ...{ sequence: 7, id: 'ntc', eventId: 'evt', type: 'dataset.positions.updated', about: 'positions/42' },
  body: `{"id":"evt"${data === '' ? '' : `,"data":${data}`}}`,
  ...more,
});
const change = (entity: string, previous = 'null') =>
  `{"entity_id":"42","version":2,"previous":${previous},"entity":${entity}}`;
const matches = (spec: object, each: OutboxEvent) =>
  createRecoveryMatcher(RecoverySpec.parse(spec), SUBSCRIPTION)(each);

test.each([
  [{}, true],
  [{ sequences: ['7'] }, true],
  [{ sequences: ['6', '8'] }, false],
  [{ types: ['dataset.positions.updated'] }, true],
  [{ types: ['dataset.positions.*'] }, true],
  [{ types: ['dataset.positions.deleted', 'watch.*'] }, false],
  [{ sequences: ['7'], types: ['watch.*'] }, false],
])('a recovery of %j takes an update: %s', (spec, expected) => {
  expect(matches(spec, event(change(row('"status":"Open"'))))).toBe(expected);
});

test.each([
  ['status == Open', change(row('"status":"Open"')), true],
  ['status == Open', change(row('"status":"Filled"')), false],
  ['old.status == Filled', change(row('"status":"Open"'), '{"status":"Filled"}'), true],
  ['changed(seats)', change(row('"status":"Open"'), '{"status":"Filled"}'), false],
  ['seats == 9007199254740993', change(row('"seats":9007199254740993')), true],
  ['seats == 9007199254740993', change(row('"seats":9007199254740992')), false],
  ['status == Open', change('null', '{"status":"Open"}'), true], // a deleted row as it was
  ['id == 42 and version == 2', change(row('"status":"Open"')), true],
])('the filter %s is tested on the row that an event carries', (filter, data, expected) => {
  expect(matches({ filter }, event(data))).toBe(expected);
});

test.each([
  ['the event carries no row', event('{"entity_id":"42","version":2}'), 'status =null= true'],
  ['the event carries a link instead of data', event(''), 'status =null= true'],
  ['its dataset is not declared', event(change(row('"status":"Open"')), { about: 'skills/1' }), 'status == Open'],
  ['its dataset does not have the fields', event(change(row('"status":"Open"'))), 'salary == 1'],
  ['the event is of the platform', event('{"id":"x"}', { about: 'pipeline/training/x' }), 'status == Open'],
])('a filter that cannot be tested matches nothing: %s', (_, each, filter) => {
  expect(matches({ filter }, each)).toBe(false);
});
