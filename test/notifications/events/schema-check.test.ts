import { expect, test } from 'vitest';
import { createSchemaCheck, type SchemaFault } from '../../../notifications/events/schema-check.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const declared = (type: string) => DatasetSpec.parse({ fields: { seats: { type } } });
function open() {
  const faults: SchemaFault[] = [];
  const check = createSchemaCheck({ onFault: (fault) => void faults.push(fault) });
  return { faults, check };
}
/** A compilation takes longer than all validations: the table below shares one. */
const shared = open();
const GAP = { type: 'ops.gap', stream: 'positions', schemaVersion: 1 };

test.each([
  [{ stream: 's', position: 1 }, 0],
  [{ stream: 's', position: 1, more: true }, 0], // a later version may add members
  [{ stream: 's' }, 1],
  [{ stream: 's', position: '1' }, 1],
  [{}, 1],
  [[], 1],
  [null, 1],
])('%j of a platform type has %i faults', (data, count) => {
  shared.check(GAP, JSON.stringify(data), { fields: {} });
  expect(shared.faults.splice(0)).toHaveLength(count);
});

test('a type in no catalogue is a fault, and so is a dataset without the type', () => {
  const { check, faults } = open();
  for (const type of ['ops.unknown', 'dataset.positions.moved', '']) {
    check({ ...GAP, type }, '{}', declared('integer'));
  }
  expect(faults.map(({ type, version, count }) => [type, version, count])).toEqual([
    ['ops.unknown', 1, 1],
    ['dataset.positions.moved', 1, 1],
    ['', 1, 1],
  ]);
});

test('an event without a version is not validated, whatever its data are', () => {
  const { check, faults } = open();
  check({ type: 'ops.gap', stream: 'positions' }, 'no json', { fields: {} });
  expect(faults).toEqual([]);
});

test('each version of a dataset is validated by the declaration that it was read with', () => {
  const { check, faults } = open();
  const data = (seats: unknown) =>
    JSON.stringify({
      ...{ dataset: 'positions', entity_id: '4', version: 1, dataset_version: 2, operation: 'update' },
      entity: { id: '4', seats },
    });
  const event = (schemaVersion: number) => ({ type: 'dataset.positions.updated', stream: 'positions', schemaVersion });
  check(event(1), data(3), declared('integer'));
  check(event(1), data('three'), declared('integer'));
  check(event(2), data('three'), declared('text'));
  check(event(2), data(3), declared('text'));
  expect(faults.map(({ version, count }) => [version, count])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  expect(faults[0]?.problems).toContain('seats');
});

test('faults are counted for each type and version', () => {
  const { check, faults } = open();
  for (const schemaVersion of [1, 1, 2, 1]) check({ ...GAP, type: 'ops.a', schemaVersion }, '{}', { fields: {} });
  check({ ...GAP, type: 'ops.b' }, '{}', { fields: {} });
  expect(faults.map(({ count }) => count)).toEqual([1, 2, 1, 3, 1]);
});
