import { expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { dataSchema, integer, oneOf, text, time } from '../../../notifications/events/data-fields.js';
import { platformLeaves } from '../../../notifications/events/platform-leaves.js';

const FIELDS = { id: text(true), count: integer(), at: time(), state: oneOf(['on', 'off'], true) };
const more = { metrics: { type: 'object', additionalProperties: { type: 'number' } } } as const;
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(dataSchema(FIELDS, more));

test.each([
  [{ id: 'a', state: 'on' }, true],
  [{ id: '', state: 'off', count: -1, at: '2026-01-01T00:00:00.000Z', metrics: { rmse: 0.5 } }, true],
  [{ id: 'x'.repeat(10_000), state: 'on' }, true],
  [{ id: 'x'.repeat(10_001), state: 'on' }, false],
  [{ id: '🍷'.repeat(10_000), state: 'on' }, true], // counted in characters
  [{ state: 'on' }, false],
  [{ id: 'a' }, false],
  [{ id: 'a', state: 'ON' }, false],
  [{ id: 'a', state: null }, false],
  [{ id: 7, state: 'on' }, false],
  [{ id: 'a', state: 'on', count: 1.5 }, false],
  [{ id: 'a', state: 'on', count: '1' }, false],
  [{ id: 'a', state: 'on', count: null }, false],
  [{ id: 'a', state: 'on', metrics: { rmse: 'high' } }, false],
  [{ id: 'a', state: 'on', metrics: [] }, false],
  [[], false],
  [null, false],
])('data %#: %j', (data, expected) => {
  expect(validate(data)).toBe(expected);
});

test('members that no filter can name are in the schema and are never required', () => {
  expect(dataSchema({}, more)).toMatchObject({ properties: more, required: [] });
  expect(dataSchema(FIELDS).required).toEqual(['id', 'state']);
});

test('the values of a choice are a copy: a change of the list changes no declaration', () => {
  const values = ['on'];
  const field = oneOf(values);
  values.push('off');
  expect(field).toMatchObject({ type: 'enum', values: ['on'] });
});

test.each([
  ['pipeline.training.started', 'model_name', 'text'],
  ['pipeline.training.anything', 'state', 'enum'], // the fields are those of the family
  ['pipeline.run.started', 'number', 'integer'],
  ['watch.absent', 'deadline', 'timestamp'],
  ['ops.gap', 'entries', 'integer'],
])('a filter of %s can name %s, of the type %s', (type, path, expected) => {
  expect(platformLeaves(type)?.get(path)).toMatchObject({ type: expected, filterable: true, sortable: false });
});

test.each([
  ['pipeline.training.started', 'metrics'],
  ['pipeline.packaging.started', 'model_name'],
  ['watch.absent', 'filter'],
])('a filter of %s cannot name %s', (type, path) => {
  expect(platformLeaves(type)?.has(path)).toBe(false);
});

test.each(['dataset.positions.updated', 'pipeline', 'nothing', ''])(
  'the type %s has no fields of the platform',
  (type) => {
    expect(platformLeaves(type)).toBeUndefined();
  },
);
