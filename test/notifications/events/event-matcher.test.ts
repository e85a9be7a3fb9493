import { expect, test } from 'vitest';
import { createEventMatcher } from '../../../notifications/events/event-matcher.js';
import { eventsOfEntry } from '../../../notifications/events/dataset-events.js';
import { gapEvent } from '../../../notifications/events/ops-events.js';
import { platformEventOf } from '../../../notifications/events/stream-events.js';
import type { SourceEvent } from '../../../platform/kinds/source-event.js';
import type { Change } from '../../../reference/dataset/change.js';
import { type DeclaredFields, DatasetSpec } from '../../../reference/dataset/dataset.js';

const AT = '2026-01-02T00:00:00.000Z';
const declared = (fields: object, generation = 1): DeclaredFields => ({
  fields: DatasetSpec.parse({ fields }).fields,
  generation,
});
const POSITIONS = declared({ status: { type: 'enum', values: ['Open', 'Filled'] }, seats: { type: 'integer' } });
const SKILLS = declared({ name: { type: 'text' } });

function matcher(types: string[], filter: string | null = null) {
  const status = { declarations: { positions: POSITIONS } };
  const created = createEventMatcher({ id: 'sub_1', spec: { types, filter, payload: 'changed' }, status });
  return {
    payload: created.payload,
    matches: (event: SourceEvent) => created.matches(event),
    declare: (dataset: string, fields: DeclaredFields) => created.declared(dataset, fields),
    specOf: (dataset: string) => created.specOf(dataset),
  };
}

const TIMES = '"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-02T00:00:00.000Z"';
function rowEvent(members: string | null, previous?: string, dataset = 'positions', fields = POSITIONS): SourceEvent {
  const change: Change = {
    ...{ id: '42', version: 2, at: AT, actor: 'ana', schema: 1, commit: 'c' },
    body: members === null ? null : `{"id":"42",${members}"version":2,${TIMES}}`,
    ...(previous !== undefined && { previous }),
  };
  const entry = { kind: 'changes' as const, changes: [change], position: 3, at: AT, token: 't' };
  const [event] = eventsOfEntry(dataset, fields, entry);
  if (event === undefined) throw new Error('no event');
  return event;
}
const platformEvent = (type: string, data: object | string, subject = 'training/wine-3'): SourceEvent =>
  platformEventOf(type.split('.')[0] ?? '', {
    ...{ kind: 'event', position: 3, at: AT, token: 't' },
    event: {
      ...{ key: 'k', type, source: '/s', subject, version: 1, at: AT },
      data: typeof data === 'string' ? data : JSON.stringify(data),
    },
  });

const CREATED = rowEvent('"status":"Open","seats":3,');
const FILLED = rowEvent('"status":"Filled",', '{"status":"Open","seats":3}');
const DELETED = rowEvent(null, '{"status":"Filled","seats":9007199254740993}');

test.each([
  [['dataset.positions.*'], null, [true, true, true]],
  [['dataset.*'], null, [true, true, true]],
  [['dataset.positions.deleted'], null, [false, false, true]],
  [['dataset.positions.created', 'dataset.positions.updated'], null, [true, true, false]],
  [['dataset.skills.*', 'watch.*'], null, [false, false, false]],
  [['dataset.positions.*'], 'status == Open', [true, false, false]],
  [['dataset.positions.*'], 'old.status == Open', [false, true, false]],
  [['dataset.positions.*'], 'changed(status) and new.status == Filled', [false, true, false]],
  [['dataset.positions.*'], 'seats == 9007199254740993', [false, false, true]],
  [['dataset.positions.*'], 'seats == 9007199254740992', [false, false, false]],
  [['dataset.positions.*'], 'seats =null= true', [false, true, false]],
  [['dataset.positions.*'], 'not(status == Open)', [false, true, true]],
  [['dataset.positions.updated'], 'status == Open', [false, false, false]],
  [['dataset.positions.*'], 'status == Open or id == 42', [true, true, true]],
])('%s with the filter %s: a create, an update, a delete', (types, filter, expected) => {
  const { matches } = matcher(types, filter);
  expect([CREATED, FILLED, DELETED].map((event) => matches(event))).toEqual(expected);
});

const FINISHED = { kind: 'ModelTraining', id: 'wine-3', version: 5, state: 'succeeded', model_name: 'Größe 🍷' };
test.each([
  ['state == succeeded', FINISHED, true],
  ['state == failed', FINISHED, false],
  ['model_name == "Größe 🍷"', FINISHED, true],
  ['version > 4 and version < 6', FINISHED, true],
  ['reason =null= true', FINISHED, true],
  ['reason =null= true', { ...FINISHED, reason: null }, true],
  ['message == ""', { ...FINISHED, message: '' }, true],
  // Integers of the same data may be long: all of them are compared by their digits.
  ['version == 5', { ...FINISHED, metrics: { big: 2 ** 62 } }, true],
  ['version == 6', { ...FINISHED, metrics: { big: 2 ** 62 } }, false],
])('the filter %s on data of a training', (filter, data, expected) => {
  expect(matcher(['pipeline.*'], filter).matches(platformEvent('pipeline.training.succeeded', data))).toBe(expected);
});

test('a filter applies to the families that have its fields; the others pass', () => {
  const { matches } = matcher(['pipeline.*', 'watch.*', 'dataset.positions.*'], 'model_name == wine');
  const of = (type: string, model: string) => matches(platformEvent(type, { id: 'x', model_name: model }));
  expect(of('pipeline.training.succeeded', 'wine')).toBe(true);
  expect(of('pipeline.training.succeeded', 'beer')).toBe(false);
  expect(of('pipeline.run.succeeded', 'beer')).toBe(false);
  expect(of('pipeline.packaging.succeeded', 'beer')).toBe(true); // a packaging has no model
  expect(of('watch.absent', 'beer')).toBe(true);
  expect(matches(CREATED)).toBe(true);
});

test('an event without fields passes every filter', () => {
  const gap = gapEvent({ stream: 'positions', after: 1, through: 2, at: AT });
  expect(matcher(['ops.*'], 'position == 99').matches(gap)).toBe(true);
  expect(matcher(['watch.*'], 'position == 99').matches(gap)).toBe(false);
});

test('a subscription gets the events about others, not those about itself', () => {
  const { matches } = matcher(['ops.*']);
  const failing = (id: string) => platformEvent('ops.subscription.failing', { id }, `subscription/${id}`);
  expect([matches(failing('sub_1')), matches(failing('sub_2'))]).toEqual([false, true]);
});

test('a new declaration types the filter; one that lost its fields leaves the filter as it was', () => {
  const subscription = matcher(['dataset.positions.*'], 'status == Open');
  const { matches, declare, specOf } = subscription;
  const text = declared({ status: { type: 'text' } }, 2);
  declare('positions', text);
  expect(specOf('positions')).toBe(text);
  expect(matches(rowEvent('"status":"Open",', undefined, 'positions', text))).toBe(true);
  expect(matches(rowEvent('"status":"Closed",', undefined, 'positions', text))).toBe(false);
  declare('positions', declared({ seats: { type: 'integer' } }, 3));
  expect([matches(CREATED), matches(rowEvent('"seats":3,'))]).toEqual([true, false]);
});

test('a dataset that is declared later is filtered from then on', () => {
  const { matches, declare, specOf } = matcher(['dataset.*'], 'name == go');
  const skill = (name: string) => rowEvent(`"name":"${name}",`, undefined, 'skills', SKILLS);
  expect(specOf('skills')).toEqual({ fields: {} });
  expect(matches(skill('rust'))).toBe(true);
  declare('skills', SKILLS);
  expect([matches(skill('rust')), matches(skill('go'))]).toEqual([false, true]);
  expect(matches(CREATED)).toBe(true); // positions have no name
});

test('the payload is that of the subscription', () => {
  expect(matcher(['watch.*']).payload).toBe('changed');
});
