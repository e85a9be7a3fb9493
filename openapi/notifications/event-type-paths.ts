import type { oas31 } from 'openapi3-ts';
import { envelopeSchema } from '../../notifications/events/envelope.js';
import type { EventType } from '../../notifications/events/event-type.js';
import type { Paths } from '../lifecycle/operations.js';
import { path } from '../reference/parameters.js';
import { body, problems, ref, reply } from '../reference/replies.js';

const TEXT: oas31.SchemaObject = { type: 'string' };
const tags = ['Subscriptions'];
const type = path('type', TEXT, 'Such as dataset.positions.updated.');
const version = path('version', { type: 'string', pattern: '^[1-9][0-9]*$' }, 'Of the form of the type.');

// prettier-ignore
export const EVENT_TYPE_PATHS: Paths = {
  '/v2/event-types': {
    get: { operationId: 'list_event_types', summary: 'Lists the event types with schema and example.', tags, responses: { 200: reply('Types of the datasets that the caller may read, and of the platform.', { type: 'object', properties: { items: { type: 'array', items: ref('EventType') } }, required: ['items'] }), ...problems() } },
  },
  '/v2/event-types/{type}/{version}': {
    parameters: [type, version],
    get: { operationId: 'read_event_type', summary: 'Shows one version of a type: the target of dataschema in events.', tags, responses: { 200: { description: 'The type; its schema alone as application/schema+json.', content: { ...body(ref('EventType')), ...body({ type: 'object' }, 'application/schema+json') } }, ...problems(404) } },
  },
};

export const EVENT_TYPE_SCHEMAS: Record<string, oas31.SchemaObject> = {
  EventType: {
    type: 'object',
    properties: {
      type: TEXT,
      version: { type: 'integer', minimum: 1 },
      description: TEXT,
      dataschema: { ...TEXT, description: 'Address of this version of the type.' },
      schema: { type: 'object', description: 'JSON Schema of the member data of an event.' },
      example: { type: 'object', description: 'A whole event.' },
    },
    required: ['type', 'version', 'description', 'dataschema', 'schema', 'example'],
  },
};

const HEADERS: oas31.ParameterObject[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
  name,
  in: 'header',
  required: true,
  schema: TEXT,
}));

/** The requests that receivers get, by type. */
export const eventWebhooks = (types: readonly EventType[]): Record<string, oas31.PathItemObject> =>
  Object.fromEntries(
    types.map((each) => [
      each.type,
      {
        post: {
          operationId: `on_${each.type.replaceAll('.', '_')}`,
          summary: each.description,
          tags,
          security: [],
          parameters: HEADERS,
          requestBody: { required: true, content: body(envelopeSchema(each), 'application/cloudevents+json') },
          responses: { '2XX': { description: 'It was processed, and is not sent again.' } },
        },
      },
    ]),
  );
