import type { EventType, JsonSchema } from './event-type.js';

const TEXT: JsonSchema = { type: 'string', minLength: 1 };
const DIGITS: JsonSchema = { type: 'string', pattern: '^[0-9]+$' };

/** A whole notice of this type: CloudEvents 1.0, structured mode, with our extension attributes. */
export function envelopeSchema({ type, description, schema }: EventType): JsonSchema {
  const attributes: Record<string, JsonSchema> = {
    specversion: { type: 'string', const: '1.0' },
    id: { ...TEXT, description: 'Of the event: the same in every subscription.' },
    source: TEXT,
    type: { type: 'string', const: type },
    subject: TEXT,
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { type: 'string', const: 'application/json' },
    dataschema: { type: 'string', format: 'uri' },
    sequence: { ...DIGITS, minLength: 19, description: 'Number of the notice, dense in each subscription.' },
    subscriptionid: TEXT,
    noticeid: { ...TEXT, description: 'Equals the header webhook-id.' },
    settledthrough: { ...DIGITS, description: 'Every notice up to this number was settled when this one was made.' },
  };
  const { dataschema: _, ...always } = attributes;
  return {
    type: 'object',
    description,
    properties: {
      ...attributes,
      data: schema,
      dataref: { ...TEXT, description: 'Where to read what was too large to be sent.' },
    },
    required: Object.keys(always),
    oneOf: [{ required: ['data'] }, { required: ['dataref'] }],
  };
}
