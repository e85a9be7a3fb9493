import { FIELD_LIMITS, type Field, type Fields, type LeafField } from '../../reference/dataset/dataset-field.js';
import { fieldSchemas } from '../../reference/dataset/row-schema.js';
import type { JsonSchema } from './event-type.js';

const usable = { filterable: true, sortable: false } as const;

/** Fields of the data of platform events, in the words of declarations: so filters are typed by them as by a dataset's. */
export const text = (required = false): LeafField => ({
  type: 'text',
  max_length: FIELD_LIMITS.textLength,
  required,
  ...usable,
});
export const integer = (required = false): LeafField => ({ type: 'integer', required, ...usable });
export const time = (required = false): LeafField => ({ type: 'timestamp', required, ...usable });
export const oneOf = (values: readonly string[], required = false): LeafField => ({
  type: 'enum',
  values: [...values],
  required,
  ...usable,
});

/**
 * The schema of such data.
 * @param more members that no filter can name
 */
export function dataSchema(fields: Fields, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const isRequired = ([, field]: [string, Field]): boolean => field.required;
  return {
    type: 'object',
    properties: { ...fieldSchemas(fields), ...more },
    required: Object.entries(fields)
      .filter(isRequired)
      .map(([name]) => name),
  };
}
