import { expect, test } from 'vitest';
import { matchesAnyType } from '../../../notifications/events/event-matcher.js';
import { eventTypePath, familyOf, matchesType } from '../../../notifications/events/event-type.js';
import { PLATFORM_TYPES } from '../../../notifications/events/catalogue.js';

test.each([
  // A name matches itself alone.
  ['dataset.positions.updated', 'dataset.positions.updated', true],
  ['dataset.positions.updated', 'dataset.positions.updated_at', false],
  ['dataset.positions.updated', 'dataset.positions.deleted', false],
  ['dataset.positions.updated', 'dataset.position.updated', false],
  ['dataset.positions.updated', 'Dataset.positions.updated', false],
  ['dataset.positions.updated', '', false],
  ['', '', true],
  ['', 'dataset.positions.updated', false],
  // A family matches each of its types, on all levels below.
  ['dataset.positions.*', 'dataset.positions.created', true],
  ['dataset.positions.*', 'dataset.positions.schema_changed', true],
  ['dataset.positions.*', 'dataset.positions_old.created', false],
  ['dataset.positions.*', 'dataset.positions', false],
  ['dataset.positions.*', 'dataset.skills.created', false],
  ['dataset.*', 'dataset.positions.created', true],
  ['pipeline.*', 'pipeline.run.waiting', true],
  ['pipeline.run.*', 'pipeline.run.waiting', true],
  ['pipeline.run.*', 'pipeline.running.waiting', false],
  ['pipeline.run.*', 'pipeline.training.started', false],
  ['watch.*', 'watch.absent', true],
  ['watch.*', 'watched.absent', false],
  ['ops.*', 'ops.subscription.failing', true],
  ['ops.subscription.*', 'ops.gap', false],
  // A summary repeats what its changes say, so a family leaves it out.
  ['dataset.positions.*', 'dataset.positions.imported', false],
  ['dataset.*', 'dataset.positions.imported', false],
  ['dataset.positions.imported', 'dataset.positions.imported', true],
  ['dataset.imported.*', 'dataset.imported.created', true],
  ['pipeline.*', 'pipeline.run.imported', true],
  // A star elsewhere is a character like any other.
  ['*', 'watch.absent', false],
  ['.*', 'watch.absent', false],
  ['watch*', 'watch.absent', false],
  ['*.absent', 'watch.absent', false],
  ['pipeline.*.started', 'pipeline.run.started', false],
  ['pipeline..*', 'pipeline.run.started', false],
  ['pipe.ine.*', 'pipeline.started', false],
])('%s and the type %s: %s', (name, type, expected) => {
  expect(matchesType(name, type)).toBe(expected);
  const matchesAny = matchesAnyType([name]);
  expect([matchesAny(type), matchesAny(type)]).toEqual([expected, expected]);
});

test('any one of several names is enough, and no name matches nothing', () => {
  const wanted = matchesAnyType(['watch.absent', 'pipeline.training.*', 'dataset.positions.imported']);
  const types = ['watch.absent', 'watch.late', 'pipeline.training.failed', 'dataset.positions.imported', 'ops.gap'];
  expect(types.map(wanted)).toEqual([true, false, true, true, false]);
  expect(types.map(matchesAnyType([]))).toEqual(types.map(() => false));
});

test('the family of a type holds every type of the family, for all platform types', () => {
  for (const { type } of PLATFORM_TYPES) {
    expect(matchesType(`${familyOf(type)}.*`, type)).toBe(true);
    const members = PLATFORM_TYPES.filter((each) => matchesType(`${familyOf(type)}.*`, each.type));
    const own = members.filter((each) => familyOf(each.type) === familyOf(type));
    expect(own.length).toBeGreaterThan(0);
  }
});

test.each([
  ['dataset.positions.updated', 'dataset.positions'],
  ['ops.subscription.failing', 'ops.subscription'],
  ['watch.late', 'watch'],
  ['watch', ''],
  ['', ''],
])('the family of %s is %s', (type, family) => {
  expect(familyOf(type)).toBe(family);
});

test('the path of a type ends in its version', () => {
  expect(eventTypePath('watch.late', 1)).toBe('/v2/event-types/watch.late/1');
});
