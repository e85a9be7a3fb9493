import type { Fields } from '../../reference/dataset/dataset-field.js';
import { PLATFORM_VERSION } from '../../platform/kinds/platform-event.js';
import { dataSchema } from './data-fields.js';
import type { EventType, JsonSchema } from './event-type.js';

/** Types of the platform itself that have one form. */
export interface EventFamily {
  /** Such as `pipeline.training`. */
  name: string;
  /** The fields that a filter of these types can name. */
  fields: Fields;
  /** Members of the data that it cannot. */
  more?: Readonly<Record<string, JsonSchema>>;
  example: EventType['example'];
  /** By last word: when it happens, and what differs from the example. */
  types: Readonly<Record<string, { description: string; data?: Readonly<Record<string, unknown>> }>>;
}

export function typesOfFamily({ name, fields, more, example, types }: EventFamily): EventType[] {
  const schema = dataSchema(fields, more);
  return Object.entries(types).map(([word, { description, data }]) => ({
    type: `${name}.${word}`,
    version: PLATFORM_VERSION,
    description,
    schema,
    example: { ...example, data: { ...example.data, ...data } },
  }));
}
