import type { oas31 } from 'openapi3-ts';
import type { Paths } from '../lifecycle/operations.js';
import { path } from '../reference/parameters.js';
import { body, empty, problems, ref, reply } from '../reference/replies.js';

const TEXT: oas31.SchemaObject = { type: 'string' };
const TIME: oas31.SchemaObject = { type: 'string', format: 'date-time' };
const NUMBER: oas31.SchemaObject = { type: 'string', pattern: '^[0-9]{1,15}$' };

const tags = ['Feed'];
const ofId = path('id', TEXT, 'Of the subscription.');
const ofName = path('name', { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' }, 'Of the consumer.');
const query = (name: string, description: string, schema: oas31.SchemaObject): oas31.ParameterObject => ({
  name,
  in: 'query',
  description,
  schema,
});
const limit = query('limit', 'Limit of events.', { type: 'integer', minimum: 1, maximum: 1_000, default: 100 });
const wait = query('wait', 'Seconds to wait for news.', { type: 'integer', minimum: 0, maximum: 30, default: 0 });
const after = query('after', 'A cursor; without one it begins with the oldest event that is kept.', TEXT);
const visibility = query('visibility', 'Seconds in which no other reader of this name gets these; with 0 whoever asks next does.', { type: 'integer', minimum: 0, maximum: 43_200, default: 0 }); // prettier-ignore
const shown = reply('The consumer.', ref('FeedConsumer'));
const json = (properties: Record<string, oas31.SchemaObject>, required: string[] = []) => ({
  required: true,
  content: body({ type: 'object', properties, required, additionalProperties: false }),
});
const of = '/v2/feed/{id}/consumers/{name}';

// prettier-ignore
export const FEED_PATHS: Paths = {
  '/v2/feed/{id}': {
    parameters: [ofId],
    get: { operationId: 'read_feed', summary: 'Reads the events of a subscription after a cursor, as they are pushed.', tags, parameters: [after, limit, wait], responses: { 200: reply('A page; next_cursor continues after it.', ref('FeedPage')), ...problems(404, 410) } },
  },
  '/v2/feed/{id}/consumers': {
    parameters: [ofId],
    get: { operationId: 'list_consumers', summary: 'Lists the consumers of the feed.', tags, responses: { 200: reply('All of them.', { type: 'object', properties: { items: { type: 'array', items: ref('FeedConsumer') } }, required: ['items'] }), ...problems(404) } },
  },
  [of]: {
    parameters: [ofId, ofName],
    get: { operationId: 'read_consumer', summary: 'Shows its position.', tags, responses: { 200: shown, ...problems(404) } },
    put: { operationId: 'put_consumer', summary: 'Its settings; one that is new begins with the oldest event that is kept.', tags, requestBody: json({ settles: { type: 'boolean', default: false, description: 'An acknowledgement settles the push delivery too.' } }), responses: { 200: shown, ...problems(404, 413, 415, 422) } },
    delete: { operationId: 'delete_consumer', summary: 'Removes the consumer.', tags, responses: { 204: empty('It is gone.'), ...problems(404) } },
  },
  [`${of}/next`]: {
    parameters: [ofId, ofName],
    get: { operationId: 'next_of_consumer', summary: 'Hands out the oldest events that no reader of this name has or acknowledged.', tags, parameters: [limit, wait, visibility], responses: { 200: reply('A page.', ref('FeedPage')), ...problems(404, 410) } },
  },
  [`${of}/ack`]: {
    parameters: [ofId, ofName],
    post: { operationId: 'ack_of_consumer', summary: 'Everything up to `through` is processed, or from `from` on.', tags, requestBody: json({ through: { ...NUMBER, example: '42' }, from: NUMBER }, ['through']), responses: { 200: shown, ...problems(404, 409, 413, 415, 422) } },
  },
  [`${of}/seek`]: {
    parameters: [ofId, ofName],
    post: { operationId: 'seek_of_consumer', summary: 'Goes to `beginning`, `end`, a number or a time: what comes next.', tags, requestBody: json({ to: { ...TEXT, example: '2026-01-31T00:00:00Z' } }, ['to']), responses: { 200: shown, ...problems(404, 410, 413, 415, 422) } },
  },
};

const item: Record<string, oas31.SchemaObject> = {
  sequence: NUMBER,
  notice_id: TEXT,
  cursor: TEXT,
  event: { type: 'object' },
};
const page: Record<string, oas31.SchemaObject> = {
  items: { type: 'array', items: { type: 'object', properties: item, required: Object.keys(item) } },
  head_sequence: NUMBER,
  retained_from: NUMBER,
};
const consumer: Record<string, oas31.SchemaObject> = {
  name: TEXT,
  settles: { type: 'boolean' },
  acknowledged_through: NUMBER,
  handed_out_through: NUMBER,
  pending: {
    type: 'array',
    items: {
      type: 'object',
      properties: { from: NUMBER, to: NUMBER, until: { anyOf: [TIME, { type: 'null' }] } },
      required: ['from', 'to', 'until'],
    },
  },
  created_at: TIME,
  updated_at: TIME,
};

export const FEED_SCHEMAS: Record<string, oas31.SchemaObject> = {
  FeedPage: {
    type: 'object',
    properties: {
      ...page,
      next_cursor: TEXT,
      settled_through: NUMBER,
      until: { anyOf: [TIME, { type: 'null' }], description: 'Until when these are not handed out again.' },
    },
    required: Object.keys(page),
  },
  FeedConsumer: { type: 'object', properties: consumer, required: Object.keys(consumer) },
};
