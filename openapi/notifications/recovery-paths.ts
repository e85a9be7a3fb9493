import type { oas31 } from 'openapi3-ts';
import { RecoverySpec } from '../../notifications/kinds/recovery.js';
import { replySchema, requestSchema } from '../json-schema.js';
import type { Paths } from '../lifecycle/operations.js';
import { beforeNumber, PAGE_SIZE, path } from '../reference/parameters.js';
import { body, problems, ref, reply } from '../reference/replies.js';

const TEXT: oas31.SchemaObject = { type: 'string' };
const TIME: oas31.SchemaObject = { type: 'string', format: 'date-time' };
const COUNT: oas31.SchemaObject = { type: 'integer', minimum: 0 };
const tags = ['Subscriptions'];
const ofId = path('id', TEXT, 'Of the subscription.');
const requestBody = { required: true, content: body(ref('RecoveryRequest')) };
const responses = { 202: reply('It goes on by itself.', ref('Recovery')), ...problems(404, 409, 413, 415, 422) };

const before = beforeNumber('Only recoveries before this number.');

// prettier-ignore
export const RECOVERY_PATHS: Paths = {
  '/v2/subscriptions/{id}/replay': {
    parameters: [ofId],
    post: { operationId: 'replay', summary: 'Sends the deliveries of a window again, with the same ids and bytes.', tags, requestBody, responses },
  },
  '/v2/subscriptions/{id}/recover': {
    parameters: [ofId],
    post: { operationId: 'recover', summary: 'Sends failed deliveries again.', tags, requestBody, responses },
  },
  '/v2/subscriptions/{id}/recoveries': {
    parameters: [ofId],
    get: { operationId: 'list_recoveries', summary: 'Lists recoveries, the newest first; they are kept for 30 days after their end.', tags, parameters: [before, PAGE_SIZE], responses: { 200: reply('A page.', { type: 'object', properties: { items: { type: 'array', items: ref('Recovery') }, next: { ...TEXT, description: 'The query of the next page, when there may be one.' } }, required: ['items'] }), ...problems(404) } },
  },
  '/v2/subscriptions/{id}/recoveries/{recovery}': {
    parameters: [ofId, path('recovery', TEXT, 'Of the answer to replay or recover.')],
    get: { operationId: 'read_recovery', summary: 'Shows the progress of a recovery.', tags, responses: { 200: reply('The recovery.', ref('Recovery')), ...problems(404) } },
  },
};

const spec = replySchema(RecoverySpec);
const facts: Record<string, oas31.SchemaObject> = {
  id: TEXT,
  kind: { type: 'string', enum: ['replay', 'recover'] },
  first: TEXT,
  last: TEXT,
  state: { type: 'string', enum: ['queued', 'running', 'done'] },
  examined: COUNT,
  matched: COUNT,
  reopened: COUNT,
  created_at: TIME,
  created_by: TEXT,
};
export const RECOVERY_SCHEMAS: Record<string, oas31.SchemaObject> = {
  RecoveryRequest: requestSchema(RecoverySpec, []),
  Recovery: {
    type: 'object',
    properties: { ...spec.properties, ...facts, ended_at: TIME },
    required: [...(spec.required ?? []), ...Object.keys(facts)],
  },
};
