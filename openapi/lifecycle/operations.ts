import type { oas31 } from 'openapi3-ts';
import type { KindRow } from './kinds.js';
import { filterParameter, parameter } from './parameters.js';
import type { ParameterName } from './parameters.js';
import { errorResponses, json, plainText, ref } from './responses.js';
import { bodyName } from './schemas.js';

/** Operations by path (OpenAPI form, below the server's root). */
export type Paths = Record<string, oas31.PathItemObject>;

const resourceReply = (description: string, kind: string): oas31.ResponseObject => json(description, ref(kind), 'ETag');

const bodyOf = ({ kind, example }: KindRow): oas31.RequestBodyObject => ({
  required: true,
  content: { 'application/json': { schema: ref(bodyName(kind)), example } },
});

/** Operations of every kind: list, create, replace, get, delete. */
export function kindPaths(row: KindRow): Paths {
  const { kind, path, noun, filters, drawsId } = row;
  const tags = [kind];
  return {
    [`/api/v1${path}`]: {
      get: {
        tags,
        operationId: `list${kind}s`,
        summary: `List every ${noun}`,
        parameters: [parameter('size'), parameter('page'), ...filters.map(filterParameter)],
        responses: {
          200: json('ordered by id', { type: 'array', items: ref(kind) }, 'X-Total-Count', 'Link'),
          ...errorResponses(400),
        },
      },
      post: {
        tags,
        operationId: `create${kind}`,
        summary: `Create a ${noun}`,
        parameters: [parameter('requestId'), parameter('idempotencyKey')],
        requestBody: bodyOf(row),
        responses: {
          201: json('stored, with defaults filled in', ref(kind), 'ETag', 'Idempotency-Replayed'),
          ...errorResponses(400, 409, 413, 422),
        },
      },
      ...(!drawsId && { put: replacement(row) }),
    },
    [`/api/v1${path}/{id}`]: {
      parameters: [parameter('id')],
      get: {
        tags,
        operationId: `get${kind}`,
        summary: `Get one ${noun}`,
        parameters: [parameter('ifNoneMatch')],
        responses: {
          200: resourceReply(`the ${noun}`, kind),
          304: { description: 'you have this revision' },
          ...errorResponses(404),
        },
      },
      delete: {
        tags,
        operationId: `delete${kind}`,
        summary: `Delete a ${noun}`,
        parameters: [parameter('requestId'), parameter('ifMatch'), ...override(kind)],
        responses: { 200: json('deleted', ref('Message')), ...errorResponses(400, 404, 409, 412) },
      },
    },
  };
}

const replacement = (row: KindRow): oas31.OperationObject => ({
  tags: [row.kind],
  operationId: `replace${row.kind}`,
  summary: `Replace a ${row.noun}; fields that are left out are cleared`,
  parameters: [parameter('requestId'), parameter('ifMatch'), ...override(row.kind)],
  requestBody: bodyOf(row),
  responses: { 200: resourceReply('the new state', row.kind), ...errorResponses(400, 404, 409, 412, 413) },
});

/** Deployments alone can be protected. */
const override = (kind: string) => (kind === 'ModelDeployment' ? [parameter('overrideProtection')] : []);

const LOG_PARAMETERS = ['follow', 'tail', 'heartbeat'] as const;

const logOperation = (kind: string, extra: readonly ParameterName[] = []): oas31.OperationObject => ({
  tags: [kind],
  operationId: `get${kind}Log`,
  summary: 'Read the log, or follow it to its end',
  parameters: [...LOG_PARAMETERS, ...extra].map(parameter),
  responses: { 200: plainText('lines as they come'), ...errorResponses(400, 404, 409) },
});

/** Further operations of trainings, packagings and batch jobs: log, cancel, rerun. */
export function runPaths({ kind, path, noun }: KindRow): Paths {
  const action = (verb: 'cancel' | 'rerun', summary: string): oas31.PathItemObject => ({
    parameters: [parameter('id')],
    post: {
      tags: [kind],
      operationId: `${verb}${kind}`,
      summary,
      parameters: [parameter('requestId'), parameter('idempotencyKey')],
      responses: {
        202: json('accepted', ref(kind), 'ETag', 'Idempotency-Replayed'),
        ...errorResponses(400, 404, 409, 422),
      },
    },
  });
  return {
    [`/api/v1${path}/{id}/log`]: { parameters: [parameter('id')], get: logOperation(kind) },
    [`/api/v1${path}/{id}/cancel`]: action('cancel', `Cancel the run; the ${noun} ends as failed, reason Cancelled`),
    [`/api/v1${path}/{id}/rerun`]: action('rerun', `Run the ${noun} again as it is`),
  };
}

export const deploymentPaths: Paths = {
  '/api/v1/model/deployment/{id}/log': {
    parameters: [parameter('id')],
    get: logOperation('ModelDeployment', ['replica', 'generation', 'previous']),
  },
  '/api/v1/model/deployment/{id}/metrics': {
    parameters: [parameter('id')],
    get: {
      tags: ['ModelDeployment'],
      operationId: 'getModelDeploymentMetrics',
      summary: 'Availability, resource use, calls and latency of the last minutes',
      responses: { 200: json('as of the last 10 to 20 s', ref('DeploymentMetrics')), ...errorResponses(404) },
    },
  },
  '/api/v1/model/deployment-metrics': {
    get: {
      tags: ['ModelDeployment'],
      operationId: 'listModelDeploymentMetrics',
      summary: 'The metrics of every deployment',
      parameters: [parameter('size'), parameter('page')],
      responses: {
        200: json('ordered by id', { type: 'array', items: ref('DeploymentMetrics') }, 'X-Total-Count', 'Link'),
        ...errorResponses(400),
      },
    },
  },
  '/api/v1/model/deployment/{id}/default-route': {
    parameters: [parameter('id')],
    get: {
      tags: ['ModelDeployment'],
      operationId: 'getDefaultRoute',
      summary: 'Get the route that the deployment has from its first moment',
      parameters: [parameter('ifNoneMatch')],
      responses: {
        200: resourceReply('the default route', 'ModelRoute'),
        304: { description: 'you have this revision' },
        ...errorResponses(404),
      },
    },
  },
};

export const connectionPaths: Paths = {
  '/api/v1/connection/{id}/test': {
    parameters: [parameter('id')],
    post: {
      tags: ['Connection'],
      operationId: 'testConnection',
      summary: 'Reach the other side, log in, read, and write if asked to',
      parameters: [
        {
          name: 'write',
          in: 'query',
          description: 'whether to write too: an object that is removed again, or a small blob that no image refers to',
          schema: { type: 'boolean', default: false },
        },
      ],
      responses: { 200: json('each step with its result', ref('ConnectionTest')), ...errorResponses(400, 404) },
    },
  },
  '/api/v1/connection/{id}/decrypted': {
    parameters: [parameter('id')],
    get: {
      tags: ['Connection'],
      operationId: 'getDecryptedConnection',
      summary: 'Get one connection with its secrets; every call is audited',
      responses: { 200: resourceReply('secrets as plain Base64', 'Connection'), ...errorResponses(404) },
    },
  },
};
