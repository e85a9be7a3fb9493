import type { oas31 } from 'openapi3-ts';
import { DIRECTIONS, LINEAGE_KINDS } from '../../lifecycle/kinds/lineage.js';
import { BACKING_SERVICES, INSTALLATION_CHECKS } from '../../platform/kinds/outage.js';
import type { Paths } from './operations.js';
import { parameter } from './parameters.js';
import { errorResponses, json, ref } from './responses.js';

const tags = ['Platform'];

const events = (operationId: string, summary: string, schema: string): oas31.PathItemObject => ({
  get: {
    tags,
    operationId,
    summary,
    parameters: [
      {
        name: 'cursor',
        in: 'query',
        description: 'the `cursor` of the last answer; 0 at first',
        schema: { type: 'integer', default: 0 },
      },
    ],
    responses: { 200: json('at most 500 events after the cursor, in order', ref(schema)), ...errorResponses(400) },
  },
});

/** Unlike a filter of resources, it is given once. */
const auditFilter = (name: string, schema: oas31.SchemaObject): oas31.ParameterObject => ({
  name,
  in: 'query',
  description: 'filter',
  schema,
});

const outageSchema: oas31.SchemaObject = {
  type: 'object',
  required: ['name', 'reason'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', enum: [...BACKING_SERVICES] },
    reason: { type: 'string', example: 'refuses connections' },
  },
};

const degradationSchema: oas31.SchemaObject = {
  type: 'object',
  required: ['name', 'reason', 'remedy'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', enum: [...INSTALLATION_CHECKS] },
    reason: { type: 'string', example: '2 of 25 are missing' },
    remedy: { type: 'string', description: 'the next step of an operator' },
  },
};

const healthSchema: oas31.SchemaObject = {
  type: 'object',
  additionalProperties: false,
  properties: {
    down: { type: 'array', minItems: 1, items: outageSchema },
    degraded: { type: 'array', minItems: 1, items: degradationSchema },
  },
};

/** Operations that belong to no kind. */
export const platformPaths: Paths = {
  '/health': {
    get: {
      tags,
      operationId: 'getHealth',
      summary: 'Whether your token is good, which services are down, and what is not as it should be',
      responses: {
        200: json('it is; an empty object when there is nothing to report', healthSchema),
        ...errorResponses(),
      },
    },
  },
  '/api/v1/user/info': {
    get: {
      tags,
      operationId: 'getUserInfo',
      summary: 'Who you are, by your token',
      responses: { 200: json('you', ref('UserInfo')), ...errorResponses(400) },
    },
  },
  '/api/v1/quota': {
    get: {
      tags,
      operationId: 'getQuota',
      summary: 'What you and all owners hold at once, and may hold',
      responses: {
        200: json('cpu, memory and storage are quantities, the others numbers', ref('Quota')),
        ...errorResponses(),
      },
    },
  },
  '/api/v1/configuration': {
    get: {
      tags,
      operationId: 'getConfiguration',
      summary: 'Public settings of the installation',
      responses: { 200: json('durations are nanoseconds', ref('Configuration')), ...errorResponses() },
    },
  },
  '/api/v1/record/{id}': {
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'request id of a call', schema: { type: 'string' } },
    ],
    get: {
      tags,
      operationId: 'getRecord',
      summary: 'What was recorded of a call, and the feedback on it',
      description: 'Each read is in the audit log. Values that the rules of the deployment remove are not shown.',
      responses: { 200: json('the records as they were written', ref('InferenceRecord')), ...errorResponses(404) },
    },
  },
  '/api/v1/lineage/{kind}/{id}': {
    parameters: [
      { name: 'kind', in: 'path', required: true, schema: { type: 'string', enum: [...LINEAGE_KINDS] } },
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'id of a resource or a request, a commit, a digest, or the name of an artifact or an image',
        schema: { type: 'string' },
      },
    ],
    get: {
      tags,
      operationId: 'getLineage',
      summary: 'Where something came from, and what came of it',
      parameters: [
        {
          name: 'direction',
          in: 'query',
          description: 'only one side of the graph',
          schema: { type: 'string', enum: [...DIRECTIONS], default: 'both' },
        },
        {
          name: 'generation',
          in: 'query',
          description: 'of a resource; the newest when it is left out',
          schema: { type: 'integer', minimum: 1 },
        },
      ],
      responses: { 200: json('nodes and edges', ref('Lineage')), ...errorResponses(400, 404) },
    },
  },
  '/api/v1/audit': {
    get: {
      tags,
      operationId: 'listAuditRecords',
      summary: 'Who changed what, newest first',
      parameters: [
        parameter('size'),
        parameter('after'),
        ...['kind', 'entityId', 'user', 'action'].map((name) => auditFilter(name, { type: 'string' })),
        ...['from', 'to'].map((name) => auditFilter(name, { type: 'string', format: 'date-time' })),
      ],
      responses: {
        200: json('audit records', { type: 'array', items: ref('AuditRecord') }, 'Link'),
        ...errorResponses(400),
      },
    },
  },
  '/api/v1/model/deployment-events': events('listDeploymentEvents', 'Changes of deployments', 'DeploymentEvents'),
  '/api/v1/model/route-events': events('listRouteEvents', 'Changes of routes', 'RouteEvents'),
};
