import { expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXAMPLE_ID, EXAMPLE_TIME, exampleFields } from '../../../notifications/events/example-row.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { rowReply } from '../../../reference/dataset/row-schema.js';

const { fields } = DatasetSpec.parse({
  fields: {
    name: { type: 'text' },
    code: { type: 'text', max_length: 1 },
    state: { type: 'enum', values: ['葡萄酒', 'b'] },
    other: { type: 'id' },
    count: { type: 'integer' },
    rate: { type: 'decimal' },
    open: { type: 'boolean' },
    day: { type: 'date' },
    seen: { type: 'timestamp' },
    home: { type: 'ref', dataset: 'locations' },
    tags: { type: 'list', of: { type: 'enum', values: ['x'] } },
    homes: { type: 'list', of: { type: 'ref', dataset: 'locations' } },
    deep: { type: 'object', fields: { deeper: { type: 'object', fields: { id: { type: 'id', required: true } } } } },
  },
});

test('each type of field has a value that fits it', () => {
  const row = {
    id: EXAMPLE_ID,
    version: 1,
    created_at: EXAMPLE_TIME,
    updated_at: EXAMPLE_TIME,
    ...exampleFields(fields),
  };
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(rowReply(fields));
  expect([validate(row), validate.errors]).toEqual([true, null]);
  expect(exampleFields(fields)).toEqual({
    ...{ name: 'text', code: 't', state: '葡萄酒', other: EXAMPLE_ID, count: 1, rate: 1.5, open: true },
    ...{ day: '2026-02-11', seen: EXAMPLE_TIME, home: { id: EXAMPLE_ID }, tags: ['x'], homes: [{ id: EXAMPLE_ID }] },
    deep: { deeper: { id: EXAMPLE_ID } },
  });
});

test('the example id shows that ids are no numbers', () => {
  expect(String(Number(EXAMPLE_ID))).not.toBe(EXAMPLE_ID);
});

test('no fields, no values', () => {
  expect(exampleFields({})).toEqual({});
});
