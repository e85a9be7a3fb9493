import type { Paths } from '../lifecycle/operations.js';
import { beforeNumber, PARAMETERS as P, path } from './parameters.js';
import { body, empty, problems, ref, reply, type Schema } from './replies.js';

const json = (schema: Schema) => ({ required: true, content: body(schema) });
const name = path('name', { type: 'string', pattern: '^[a-z][a-z0-9_]{0,62}$' }, 'Of the dataset.');
const keyId = path('id', { type: 'string' }, 'Of the key.');
const tags = { dataset: ['Datasets'], key: ['Keys'], graph: ['Graph'], service: ['Service'] };
const TEXT = { type: 'string' } as const;
const query = (parameter: string, description: string) =>
  ({ name: parameter, in: 'query', description, schema: TEXT }) as const;

const position = (parameter: string, description: string, minimum: number) =>
  ({ name: parameter, in: 'query', required: true, description, schema: { type: 'integer', minimum } }) as const;

const GRAPH_TYPES = ['application/json', 'application/graphql-response+json'];
const graphReplies = {
  200: { description: 'Data, or what is wrong with the document.', content: body(ref('GraphReply'), ...GRAPH_TYPES) },
  ...Object.fromEntries(
    Object.entries(problems(404, 405, 406, 409, 410, 413, 415)).map(([status, { description }]) => [
      status,
      {
        description,
        content: {
          ...body(ref('Problem'), 'application/problem+json'),
          ...body(ref('GraphReply'), ...GRAPH_TYPES),
        },
      },
    ]),
  ),
};

/** Operations that do not depend on the declared datasets. */
// prettier-ignore
export const FIXED_PATHS: Paths = {
  '/v2/datasets': {
    get: { operationId: 'list_datasets', summary: 'Datasets that the caller may read.', tags: tags.dataset, responses: { 200: reply('All of them.', { type: 'object', properties: { items: { type: 'array', items: ref('Dataset') } }, required: ['items'] }), ...problems() } },
  },
  '/v2/datasets/{name}': {
    parameters: [name],
    get: { operationId: 'read_dataset', summary: 'A declaration and its state.', tags: tags.dataset, parameters: [P.ifNoneMatch], responses: { 200: reply('The dataset.', ref('Dataset')), 304: empty('Nothing changed.'), ...problems(404) } },
    put: { operationId: 'put_dataset', summary: 'Declares a dataset, or changes its declaration.', tags: tags.dataset, parameters: [P.force, P.ifMatch, P.ifNoneMatch], requestBody: json(ref('DatasetRequest')), responses: { 200: reply('The dataset.', ref('Dataset')), 201: reply('It was created.', ref('Dataset')), ...problems(404, 409, 412, 413, 415, 422) } },
    delete: { operationId: 'delete_dataset', summary: 'Drops a dataset with its rows.', tags: tags.dataset, parameters: [P.confirm, P.ifMatch], responses: { 204: empty('It is gone.'), ...problems(404, 409, 412) } },
  },
  '/v2/datasets/{name}/pin': {
    parameters: [name],
    post: { operationId: 'pin_dataset', summary: 'Takes what readers see back to a kept version, in every process; writes go on.', tags: tags.dataset, requestBody: json({ type: 'object', properties: { version: { type: 'integer', minimum: 1 }, reason: { type: 'string', minLength: 1, maxLength: 500 } }, required: ['version', 'reason'], additionalProperties: false }), responses: { 200: reply('The dataset.', ref('Dataset')), ...problems(404, 410, 413, 415) } },
  },
  '/v2/datasets/{name}/unpin': {
    parameters: [name],
    post: { operationId: 'unpin_dataset', summary: 'Readers see the newest version again.', tags: tags.dataset, responses: { 200: reply('The dataset.', ref('Dataset')), ...problems(404) } },
  },
  '/v2/datasets/{name}/versions': {
    parameters: [name],
    get: { operationId: 'list_versions', summary: 'Versions from the newest down, and what each did.', tags: tags.dataset, parameters: [beforeNumber('Only versions before this one.'), { name: 'limit', in: 'query', description: 'Versions at most.', schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } }], responses: { 200: reply('Versions.', { type: 'object', properties: { items: { type: 'array', items: { type: 'object' } }, next_before: { type: 'integer' } }, required: ['items'] }), ...problems(404) } },
  },
  '/v2/datasets/{name}/changes': {
    parameters: [name],
    get: { operationId: 'list_changes', summary: 'Changes after a position, each once and in order.', tags: tags.dataset, parameters: [position('after', 'Position that was read last, or 0.', 0)], responses: { 200: reply('Changes.', { type: 'object', properties: { items: { type: 'array', items: { type: 'object' } }, next_after: { type: 'integer' } }, required: ['items', 'next_after'] }), ...problems(404, 410) } },
  },
  '/v2/datasets/{name}/events': {
    parameters: [name],
    get: { operationId: 'stream_changes', summary: 'Changes after a position, as server-sent events while they happen.', tags: tags.dataset, parameters: [{ ...position('after', 'Position that was read last, or 0; needed without Last-Event-ID.', 0), required: false }, { name: 'Last-Event-ID', in: 'header', description: 'Id of the last event that was received: the stream goes on after it.', schema: { type: 'string', pattern: '^[0-9]{1,15}([.][0-9]{1,6})?$' } }], responses: { 200: { description: 'Events `change`, until one side ends the connection.', content: body({ type: 'string' }, 'text/event-stream') }, ...problems(404, 410, 429) } },
  },
  '/v2/datasets/{name}/diff': {
    parameters: [name],
    get: { operationId: 'diff_versions', summary: 'The differences of two kept versions.', tags: tags.dataset, parameters: [position('from', 'The older version.', 1), position('to', 'The newer version.', 1), query('after', 'Only entities behind this id.')], responses: { 200: reply('Differences, by id.', { type: 'object', properties: { from: { type: 'integer' }, to: { type: 'integer' }, counts: { type: 'object' }, items: { type: 'array', items: { type: 'object' } }, next_after: TEXT }, required: ['from', 'to', 'counts', 'items'] }), ...problems(404, 410) } },
  },
  '/v2/datasets/{name}/dangling': {
    parameters: [name],
    get: { operationId: 'list_dangling', summary: 'Rows whose references lead to no row, by their ids; needs the right to read the referenced datasets.', tags: tags.dataset, parameters: [query('after', 'Only rows behind this id.'), { name: 'limit', in: 'query', description: 'Rows at most.', schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } }, P.minVersion], responses: { 200: reply('Rows, and how many there are in all.', ref('Dangling')), ...problems(404) } },
  },
  '/v2/keys': {
    get: { operationId: 'list_keys', summary: 'Keys, without their secrets.', tags: tags.key, responses: { 200: reply('All of them.', { type: 'object', properties: { items: { type: 'array', items: ref('ApiKey') } }, required: ['items'] }), ...problems() } },
    post: { operationId: 'issue_key', summary: 'A new key; its secret is shown this once.', tags: tags.key, requestBody: json(ref('ApiKeyRequest')), responses: { 201: reply('The key with its secret.', ref('IssuedKey')), ...problems(413, 415, 422) } },
  },
  '/v2/keys/{id}': {
    parameters: [keyId],
    get: { operationId: 'read_key', summary: 'One key.', tags: tags.key, responses: { 200: reply('The key.', ref('ApiKey')), ...problems(404) } },
    delete: { operationId: 'revoke_key', summary: 'Ends it, everywhere within a second.', tags: tags.key, responses: { 204: empty('It is revoked.'), ...problems(404) } },
  },
  '/v2/keys/{id}/rotate': {
    parameters: [keyId],
    post: { operationId: 'rotate_key', summary: 'A new secret; the old one stays good for a while.', tags: tags.key, requestBody: { content: body({ type: 'object', properties: { overlap_seconds: { type: 'integer', minimum: 0, maximum: 604_800, default: 3_600 } }, additionalProperties: false }) }, responses: { 200: reply('The key with its new secret.', ref('IssuedKey')), ...problems(404, 413, 415, 422) } },
  },
  '/v2/graphql': {
    get: { operationId: 'graph_by_get', summary: 'A GraphQL query in the address.', tags: tags.graph, parameters: [query('query', 'The document.'), query('operationName', 'Of several operations the one.'), query('variables', 'JSON.'), query('extensions', 'JSON; `persistedQuery` names a document by its digest.'), P.minVersions], responses: graphReplies },
    post: { operationId: 'graph', summary: 'Rows with their relations in both directions, by GraphQL.', tags: tags.graph, parameters: [P.minVersions], requestBody: json(ref('GraphRequest')), responses: graphReplies },
  },
  '/v2/health': {
    get: { operationId: 'read_health', summary: 'How far this process is with each dataset, and how subscriptions and watches are.', tags: tags.service, responses: { 200: reply('State by dataset.', { type: 'object', properties: { state: TEXT, datasets: { type: 'object' }, subscriptions: { type: 'object' }, watches: { type: 'object' } }, required: ['state', 'datasets', 'subscriptions', 'watches'] }), ...problems() } },
  },
  '/v2/openapi.json': {
    get: { operationId: 'read_openapi', summary: 'This document: with a credential for the datasets that it may read.', tags: tags.service, security: [{}], responses: { 200: reply('The document.', { type: 'object' }), ...problems() } },
  },
  '/v2/problems/{code}': {
    parameters: [path('code', TEXT, 'Of a problem.')],
    get: { operationId: 'explain_problem', summary: 'What a problem means, and what to do about it.', tags: tags.service, security: [{}], responses: { 200: reply('In words.', { type: 'object', properties: { code: TEXT, title: TEXT, help: TEXT }, required: ['code', 'title', 'help'] }), ...problems(404) } },
  },
};
