import type { Field, Fields, ListItem } from '../../reference/dataset/dataset-field.js';
import { unreachable } from '../../platform/kinds/errors.js';

export const EXAMPLE_ID = '9007199254740993'; // no number of JavaScript holds it
export const EXAMPLE_TIME = '2026-02-11T09:30:12.114Z';

/** Values that fit the fields. */
export const exampleFields = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, exampleOf(field)]));

function exampleOf(field: Field | ListItem): unknown {
  switch (field.type) {
    case 'text':
      return 'text'.slice(0, field.max_length);
    case 'enum':
      return field.values[0];
    case 'id':
      return EXAMPLE_ID;
    case 'integer':
      return 1;
    case 'decimal':
      return 1.5;
    case 'boolean':
      return true;
    case 'date':
      return EXAMPLE_TIME.slice(0, 10);
    case 'timestamp':
      return EXAMPLE_TIME;
    case 'ref':
      return { id: EXAMPLE_ID };
    case 'list':
      return [exampleOf(field.of)];
    case 'object':
      return exampleFields(field.fields);
    default:
      return unreachable(field);
  }
}
