import type { oas31 } from 'openapi3-ts';
import type { Paths } from '../lifecycle/operations.js';
import { PARAMETERS as P, path } from '../reference/parameters.js';
import { body, empty, problems, ref, reply } from '../reference/replies.js';
import { listOf, OUTCOMES, STATES, TEXT, TIME } from './schema-parts.js';

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
    post: { operationId: 'add_secret', summary: 'A new key; those before it sign beside it until the overlap ends. Answered when every worker signs with it.', tags, requestBody: { content: body({ type: 'object', properties: { kind: { type: 'string', enum: ['hmac', 'ed25519'], default: 'hmac' }, overlap: { ...TEXT, default: 'PT24H', example: 'PT24H' } }, additionalProperties: false }) }, responses: { 201: reply('The subscription with the new secret.', ref('CreatedSubscription')), ...problems(404, 409, 412, 413, 415, 422) } },
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
