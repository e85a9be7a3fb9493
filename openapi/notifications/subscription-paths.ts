import type { oas31 } from 'openapi3-ts';
import { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import { replySchema, strictRequestSchema } from '../json-schema.js';
import type { Paths } from '../lifecycle/operations.js';
import { PARAMETERS as P, path } from '../reference/parameters.js';
import { body, empty, problems, ref, reply } from '../reference/replies.js';

const TEXT: oas31.SchemaObject = { type: 'string' };
const TIME: oas31.SchemaObject = { type: 'string', format: 'date-time' };
const COUNT: oas31.SchemaObject = { type: 'integer', minimum: 0 };
const nullable = (schema: oas31.SchemaObject): oas31.SchemaObject => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: oas31.SchemaObject | oas31.ReferenceObject): oas31.SchemaObject => ({ type: 'array', items });

const STATES = ['pending', 'sending', 'checking', 'held', 'delivered', 'failed', 'cancelled'];
const OUTCOMES = ['confirmed', 'not_sent', 'refused', 'ambiguous'];
const OUTCOME: oas31.SchemaObject = { type: 'string', enum: OUTCOMES };

const tags = ['Subscriptions'];
const ofId = path('id', TEXT, 'Of the subscription.');
const ofSequence = path('sequence', { type: 'string', pattern: '^[1-9][0-9]{0,14}$' }, 'Sequence of the delivery.');
const json = (schema: oas31.SchemaObject | oas31.ReferenceObject) => ({ required: true, content: body(schema) });
const shown = reply('The subscription.', ref('Subscription'));
const change = problems(404, 412);

// prettier-ignore
const DELIVERY_FILTER: oas31.ParameterObject[] = [
  { name: 'state', in: 'query', description: 'Only deliveries in this state; `parked`: their lane continues without them.', schema: { type: 'string', enum: [...STATES, 'parked'] } },
  { name: 'type', in: 'query', description: 'Event type; `dataset.places.*` names a family.', schema: TEXT },
  { name: 'subject', in: 'query', description: 'What the event is about: `42`, or `places/42`.', schema: TEXT },
  { name: 'outcome', in: 'query', description: 'How the last attempt ended.', schema: { type: 'string', enum: OUTCOMES } },
  { name: 'from', in: 'query', description: 'Made at this time or later.', schema: TIME },
  { name: 'until', in: 'query', description: 'Made before this time.', schema: TIME },
  { name: 'page_size', in: 'query', description: 'At most.', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  { name: 'page_token', in: 'query', description: '`next_page_token` of the page before.', schema: TEXT },
];

// prettier-ignore
export const SUBSCRIPTION_PATHS: Paths = {
  '/v2/subscriptions': {
    get: { operationId: 'list_subscriptions', summary: 'Lists the subscriptions.', tags, responses: { 200: reply('All of them.', { type: 'object', properties: { items: listOf(ref('Subscription')) }, required: ['items'] }), ...problems() } },
    post: { operationId: 'create_subscription', summary: 'Creates a subscription to events from now on; the secret is shown only here.', tags, parameters: [P.idempotencyKey], requestBody: json(ref('SubscriptionRequest')), responses: { 201: reply('The subscription with its secret.', ref('CreatedSubscription')), ...problems(404, 409, 413, 415, 422) } },
  },
  '/v2/subscriptions/{id}': {
    parameters: [ofId],
    get: { operationId: 'read_subscription', summary: 'Shows its settings, its state and the counts of its deliveries.', tags, responses: { 200: shown, ...problems(404) } },
    patch: { operationId: 'change_subscription', summary: 'Changes settings by JSON merge patch.', tags, parameters: [P.ifMatch], requestBody: { required: true, content: body({ type: 'object' }, 'application/json', 'application/merge-patch+json') }, responses: { 200: shown, ...problems(404, 409, 412, 413, 415, 422, 428) } },
    delete: { operationId: 'delete_subscription', summary: 'Removes the subscription; nothing more is sent.', tags, parameters: [P.ifMatch], responses: { 204: empty('It is gone.'), ...problems(404, 409, 412) } },
  },
  '/v2/subscriptions/{id}/pause': {
    parameters: [ofId],
    post: { operationId: 'pause_subscription', summary: 'Pauses sending; events are kept.', tags, parameters: [P.ifMatch], responses: { 200: shown, ...change } },
  },
  '/v2/subscriptions/{id}/resume': {
    parameters: [ofId],
    post: { operationId: 'resume_subscription', summary: 'Sends what was kept, in order.', tags, parameters: [P.ifMatch], responses: { 200: shown, ...change } },
  },
  '/v2/subscriptions/{id}/probe': {
    parameters: [ofId],
    post: { operationId: 'probe_subscription', summary: 'Probes the receiver and updates its level.', tags, parameters: [P.ifMatch], responses: { 200: shown, ...problems(404, 412, 422) } },
  },
  '/v2/subscriptions/{id}/test': {
    parameters: [ofId],
    post: { operationId: 'test_subscription', summary: "Sends a type's example, signed like every event and without a ledger entry; reports the response.", tags, requestBody: { content: body({ type: 'object', properties: { type: { ...TEXT, description: 'The first of its types unless given.' } }, additionalProperties: false }) }, responses: { 200: reply('The request and the response.', ref('TestResult')), ...problems(404, 413, 415, 422) } },
  },
  '/v2/subscriptions/{id}/explain': {
    parameters: [ofId],
    post: { operationId: 'explain_subscription', summary: 'Explains whether a change of an entity, or the entry at a position of a stream, matches.', tags, requestBody: json(ref('ExplainRequest')), responses: { 200: reply('Each event with its reasons.', { type: 'object', properties: { items: listOf(ref('Explanation')) }, required: ['items'] }), ...problems(404, 413, 415, 422) } },
  },
  '/.well-known/webhook-keys': {
    get: { operationId: 'read_webhook_keys', summary: 'Public halves of the Ed25519 keys that sign now, as a JWK Set.', tags, security: [{}], responses: { 200: { description: 'The keys.', content: body({ type: 'object', properties: { keys: listOf({ type: 'object' }) }, required: ['keys'] }, 'application/jwk-set+json') }, ...problems() } },
  },
  '/v2/subscriptions/{id}/secrets': {
    parameters: [ofId],
    post: { operationId: 'add_secret', summary: 'A new key; those before it sign beside it until the overlap ends.', tags, requestBody: { content: body({ type: 'object', properties: { kind: { type: 'string', enum: ['hmac', 'ed25519'], default: 'hmac' }, overlap: { ...TEXT, default: 'PT24H', example: 'PT24H' } }, additionalProperties: false }) }, responses: { 201: reply('The subscription with the new secret.', ref('CreatedSubscription')), ...problems(404, 409, 412, 413, 415, 422) } },
  },
  '/v2/subscriptions/{id}/secrets/{kid}': {
    parameters: [ofId, path('kid', TEXT, 'Of the key.')],
    delete: { operationId: 'remove_secret', summary: 'Ends a key at once.', tags, responses: { 204: empty('It signs no more.'), ...problems(404, 409, 412) } },
  },
  '/v2/subscriptions/{id}/deliveries': {
    parameters: [ofId],
    get: { operationId: 'list_deliveries', summary: 'Lists deliveries, the newest first; as NDJSON all of them in one response.', tags, parameters: DELIVERY_FILTER, responses: { 200: { description: 'A page, which may be short: next_page_token continues after it.', content: { ...body({ type: 'object', properties: { items: listOf(ref('Delivery')), next_page_token: TEXT }, required: ['items'] }), ...body(ref('Delivery'), 'application/x-ndjson') } }, ...problems(404) } },
  },
  '/v2/failed-deliveries': {
    get: { operationId: 'list_failed_deliveries', summary: 'Lists the failed deliveries of all subscriptions, subscription by subscription, each with the newest first.', tags, parameters: DELIVERY_FILTER.filter(({ name }) => name !== 'state'), responses: { 200: reply('A page, which may be short: next_page_token continues after it.', { type: 'object', properties: { items: listOf({ allOf: [ref('Delivery'), { type: 'object', properties: { subscription: TEXT }, required: ['subscription'] }] }), next_page_token: TEXT }, required: ['items'] }), ...problems() } },
  },
  '/v2/subscriptions/{id}/deliveries/{sequence}': {
    parameters: [ofId, ofSequence],
    get: { operationId: 'read_delivery', summary: 'Shows one delivery: its event and every attempt.', tags, responses: { 200: reply('The delivery.', ref('Delivery')), ...problems(404) } },
  },
  '/v2/subscriptions/{id}/deliveries/{sequence}/request': {
    parameters: [ofId, ofSequence],
    get: { operationId: 'read_delivery_request', summary: 'The exact body that is sent, or the whole request of the newest attempt with its signatures masked.', tags, responses: { 200: { description: 'A CloudEvent, or a request.', content: { ...body({ type: 'object' }, 'application/cloudevents+json'), ...body(TEXT, 'message/http') } }, ...problems(404) } },
  },
  ...Object.fromEntries(
    Object.entries({ resend: 'Sends the delivery again, with the same id and bytes.', confirm: 'Records that a held delivery has arrived.', cancel: 'Cancels the delivery.' }).map(([action, summary]) => [
      `/v2/subscriptions/{id}/deliveries/{sequence}/${action}`,
      { parameters: [ofId, ofSequence], post: { operationId: `${action}_delivery`, summary, tags, responses: { 202: reply('The delivery.', ref('Delivery')), ...problems(404, 409) } } },
    ]),
  ),
};

type Members = Record<string, oas31.SchemaObject>;
const spec = replySchema(SubscriptionSpec);
const key: Members = {
  kid: TEXT,
  kind: { type: 'string', enum: ['hmac', 'ed25519'] },
  created_at: TIME,
  expires_at: nullable(TIME),
  last_used_at: nullable({ ...TIME, description: 'When it signed last.' }),
};
const facts: Members = {
  id: TEXT,
  state: { type: 'string', enum: ['unverified', 'active', 'paused', 'disabled'] },
  level: {
    type: 'object',
    properties: {
      proven: { type: 'string', enum: ['L0', 'L1', 'L2', 'L3'] },
      checked_at: nullable(TIME),
      evidence: listOf({
        type: 'object',
        properties: { sent: TEXT, expected: TEXT, received: TEXT, ok: { type: 'boolean' } },
      }),
    },
  },
  guarantee: { type: 'object', properties: { text: TEXT } },
  keys: listOf({ type: 'object', properties: key, required: Object.keys(key) }),
  starts_at: {
    type: 'object',
    additionalProperties: COUNT,
    description: 'Position of each stream after which it began.',
  },
  effective_after: {
    type: 'object',
    additionalProperties: COUNT,
    description: 'Positions after which the current types, filter and payload apply.',
  },
  minted: COUNT,
  counts: { type: 'object', additionalProperties: COUNT },
  created_at: TIME,
  updated_at: TIME,
  created_by: TEXT,
};
const subscription = {
  type: 'object' as const,
  properties: {
    ...spec.properties,
    ...facts,
    reason: TEXT,
    owner: {
      ...TEXT,
      description: 'The pipeline that maintains it, such as `pipeline/wine`: it cannot be changed or deleted here.',
    },
    failing: {
      type: 'object' as const,
      properties: { since: TIME, reason: TEXT },
      required: ['since', 'reason'],
      description: 'Set while the breaker of its endpoint is open, with the newest failure.',
    },
    fault: {
      type: 'object' as const,
      properties: { since: TIME, reason: TEXT },
      required: ['since', 'reason'],
      description:
        'Set while nothing is sent because of an unexpected error of the platform; the log of the worker has it.',
    },
    allowed_rate: {
      type: 'object' as const,
      description: 'Granted by the receiver when it was asked with OPTIONS: no more is sent in a minute.',
      properties: { per_minute: COUNT },
      required: ['per_minute'],
    },
    backlog: {
      type: 'object' as const,
      properties: { since: TIME, pending: COUNT },
      required: ['since', 'pending'],
      description: 'Set while very many deliveries wait; at 1,000,000 fan-out pauses.',
    },
    filter_applies_to: {
      ...listOf(TEXT),
      description: 'Types that have the fields of the filter; the others are not filtered.',
    },
  },
  required: [...(spec.required ?? []), ...Object.keys(facts)],
};
const attempt: Members = { number: COUNT, started_at: TIME, deadline: TIME };
const delivery: Members = {
  sequence: TEXT,
  notice_id: TEXT,
  event_id: TEXT,
  type: TEXT,
  about: TEXT,
  minted_at: TIME,
  state: { type: 'string', enum: STATES },
};

export const SUBSCRIPTION_SCHEMAS: Record<string, oas31.SchemaObject> = {
  SubscriptionRequest: strictRequestSchema(SubscriptionSpec, ['name', 'types']),
  Subscription: subscription,
  CreatedSubscription: {
    ...subscription,
    properties: { ...subscription.properties, secret: { ...TEXT, description: 'Shown this once.' } },
    required: [...subscription.required, 'secret'],
  },
  TestResult: {
    type: 'object',
    properties: {
      type: TEXT,
      notice_id: TEXT,
      request: {
        type: 'object',
        properties: { url: TEXT, headers: { type: 'object', additionalProperties: TEXT }, body: TEXT },
        required: ['url', 'headers', 'body'],
      },
      outcome: OUTCOME,
      status: COUNT,
      latency_ms: COUNT,
      answer: { ...TEXT, description: 'Its first 16,384 characters.' },
      error: TEXT,
    },
    required: ['type', 'notice_id', 'request', 'outcome'],
  },
  ExplainRequest: {
    oneOf: [
      {
        type: 'object',
        properties: {
          dataset: TEXT,
          entity_id: TEXT,
          version: { type: 'integer', minimum: 1, description: 'Of the entity; the newest unless given.' },
        },
        required: ['dataset', 'entity_id'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: {
          stream: { ...TEXT, description: 'Name of a dataset, or pipeline, watch or ops.' },
          position: { type: 'integer', minimum: 1 },
        },
        required: ['stream', 'position'],
        additionalProperties: false,
      },
    ],
    example: { dataset: 'positions', entity_id: '9007199254740993' },
  },
  Explanation: {
    type: 'object',
    properties: {
      event_id: TEXT,
      type: TEXT,
      subject: TEXT,
      time: TIME,
      matches: { type: 'boolean', description: 'Every reason holds.' },
      reasons: listOf({
        type: 'object',
        properties: {
          holds: { type: 'boolean' },
          reason: TEXT,
          verdict: { type: 'object', description: 'The filter, condition by condition, with the values that it met.' },
        },
        required: ['holds', 'reason'],
      }),
    },
    required: ['event_id', 'type', 'subject', 'time', 'matches', 'reasons'],
  },
  Delivery: {
    type: 'object',
    properties: {
      ...delivery,
      by: TEXT,
      fault: {
        ...TEXT,
        description:
          'An unexpected error of the platform kept the event from being filtered or written: the delivery failed, and its event has a link (`dataref`).',
      },
      next: { type: 'string', enum: ['attempt', 'judge', 'tombstone', 'receipt'] },
      due_at: TIME,
      attempts: listOf({
        type: 'object',
        properties: {
          ...attempt,
          ended_at: TIME,
          outcome: OUTCOME,
          status: COUNT,
          latency_ms: COUNT,
          error: TEXT,
        },
        required: Object.keys(attempt),
      }),
      parked: { type: 'boolean', description: 'Its lane continues without it.' },
      timeline: listOf({
        type: 'object',
        properties: { at: TIME, what: TEXT, attempt: COUNT },
        required: ['at', 'what'],
      }),
      event: { type: 'object' },
    },
    required: [...Object.keys(delivery), 'attempts'],
  },
};
