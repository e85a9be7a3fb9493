import type { oas31 } from 'openapi3-ts';
import type { Field, Fields, ListItem } from './dataset-field.js';
import { FIELD_LIMITS } from './dataset-field.js';
import { unreachable } from '../../platform/kinds/errors.js';

type Schema = oas31.SchemaObject;

/** One spelling of each id: digits alone, no zero in front. */
export const ID: Schema = {
  type: 'string',
  pattern: '^[1-9][0-9]{0,18}$',
  maxLength: 19,
  description: 'An integer from 1 to 9223372036854775807, as a string of digits.',
};
/** Numbers where every reader of JSON keeps them exactly. */
const INTEGER: Schema = {
  anyOf: [
    { type: 'integer', format: 'int64' },
    { type: 'string', pattern: '^-?[1-9][0-9]{15,18}$' },
  ],
  description: 'An integer of 64 bits: a number up to 9007199254740991, beyond it a string of digits.',
};
const TIME: Schema = { type: 'string', format: 'date-time' };

/** A row as a client sends it. */
export const rowRequest = (fields: Fields): Schema => ({
  ...members(fields, { nullable: true }),
  additionalProperties: false,
});

/** A row in a response; `fields=` may leave fields out, so no declared field is required. */
export function rowReply(fields: Fields, { marked = false }: Pick<Form, 'marked'> = {}): Schema {
  const { properties } = members(fields, { nullable: false, marked });
  return {
    type: 'object',
    properties: { id: ID, ...properties, version: { type: 'integer', minimum: 1 }, created_at: TIME, updated_at: TIME },
    required: ['id', 'version', 'created_at', 'updated_at'],
  };
}

/** Returns the schema of each declared field, as in a response. */
export const fieldSchemas = (fields: Fields): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, member(field, { nullable: false })]));

/** Some fields of a row, as they were before a change: `null` for one that was absent. */
export const rowBefore = (fields: Fields): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fieldSchemas(fields)).map(([name, schema]) => [name, { anyOf: [schema, { type: 'null' }] }]),
  ),
});

interface Form {
  /** Whether `null` is allowed for an absent value. */
  nullable: boolean;
  /** Whether a dangling reference has the member `missing`. */
  marked?: boolean;
}

const MARK: Schema = { const: true, description: 'Nothing is there now.' };

function members(fields: Fields, form: Form): Schema {
  const required = Object.entries(fields).flatMap(([name, field]) => (field.required ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, member(field, form)])),
    ...(form.nullable && required.length > 0 && { required }),
    ...(form.nullable && { additionalProperties: false }),
  };
}

function member(field: Field, form: Form): Schema {
  const schema = field.type === 'object' ? members(field.fields, form) : leaf(field, form);
  return form.nullable && !field.required ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function leaf(field: Exclude<Field, { type: 'object' }> | ListItem, form: Form): Schema {
  switch (field.type) {
    case 'text':
      return {
        type: 'string',
        maxLength: field.max_length,
        ...(field.suggested_values && { examples: [...field.suggested_values] }),
      };
    case 'enum':
      return { type: 'string', enum: [...field.values] };
    case 'id':
      return ID;
    case 'integer':
      return INTEGER;
    case 'decimal':
      return { type: 'number', format: 'double' };
    case 'boolean':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'timestamp':
      return TIME;
    case 'ref':
      return {
        type: 'object',
        properties: { id: ID, ...(form.marked && { missing: MARK }) },
        required: ['id'],
        description: `A row of ${field.dataset}.`,
      };
    case 'list':
      return { type: 'array', items: leaf(field.of, form), maxItems: FIELD_LIMITS.listItems };
    default:
      return unreachable(field);
  }
}
