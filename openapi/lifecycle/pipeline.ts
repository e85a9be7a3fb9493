import type { oas31 } from 'openapi3-ts';
import { RunRequestBody } from '../../lifecycle/kinds/pipeline-run-request.js';
import { PipelineSpec } from '../../lifecycle/kinds/pipeline.js';
import { requestSchema } from '../json-schema.js';
import type { Paths } from './operations.js';
import { parameter } from './parameters.js';
import { errorResponses, json, ref } from './responses.js';

const tags = ['PipelineRun'];
const BASE = '/api/v1/model/pipeline/{id}';

const body = (schema: oas31.SchemaObject, example: object): oas31.RequestBodyObject => ({
  content: { 'application/json': { schema, example } },
});
const text = (description: string): oas31.SchemaObject => ({ type: 'string', description });

interface Action {
  operationId: string;
  summary: string;
  requestBody?: oas31.RequestBodyObject;
  reply: oas31.ResponsesObject;
  parameters?: (oas31.ParameterObject | oas31.ReferenceObject)[];
}

const action = ({ operationId, summary, requestBody, reply, parameters = [] }: Action): oas31.PathItemObject => ({
  parameters: [parameter('id'), ...parameters],
  post: {
    tags,
    operationId,
    summary,
    parameters: [parameter('requestId'), parameter('idempotencyKey')],
    ...(requestBody && { requestBody }),
    responses: { ...reply, ...errorResponses(400, 404, 409, 413, 422) },
  },
});

const number: oas31.ParameterObject = {
  name: 'number',
  in: 'path',
  required: true,
  description: 'number of the run',
  schema: { type: 'integer', minimum: 1 },
};

const onRun = (verb: string, summary: string, requestBody?: oas31.RequestBodyObject): oas31.PathItemObject =>
  action({
    operationId: `${verb}PipelineRun`,
    summary,
    parameters: [number, parameter('ifMatch')],
    reply: {
      202: json('accepted', ref('PipelineRun'), 'ETag', 'Idempotency-Replayed'),
      ...errorResponses(412),
    },
    ...(requestBody && { requestBody }),
  });

const onSchedule = (verb: string, summary: string, status = 200, requestBody?: oas31.RequestBodyObject) =>
  action({
    operationId: `${verb}PipelineSchedule`,
    summary,
    reply: { [status]: json('the schedule', ref('PipelineSchedule'), 'Idempotency-Replayed') },
    ...(requestBody && { requestBody }),
  });

const decision = body(
  { type: 'object', properties: { reason: text('why') }, required: ['reason'] },
  { reason: 'error is down by a tenth, checked against last month' },
);

/** Runs and schedules of pipelines. */
export const pipelinePaths: Paths = {
  [`${BASE}/run`]: {
    ...action({
      operationId: 'createPipelineRun',
      summary: 'Run the pipeline',
      requestBody: body(requestSchema(RunRequestBody, []), { parameters: { alpha: '0.2' } }),
      reply: { 201: json('the run', ref('PipelineRun'), 'ETag', 'Idempotency-Replayed') },
    }),
    get: {
      tags,
      operationId: 'listPipelineRuns',
      summary: 'List the runs of a pipeline, newest first',
      parameters: [parameter('size'), parameter('page')],
      responses: {
        200: json('newest first', { type: 'array', items: ref('PipelineRun') }, 'X-Total-Count', 'Link'),
        ...errorResponses(400, 404),
      },
    },
  },
  [`${BASE}/run/{number}`]: {
    parameters: [parameter('id'), number],
    get: {
      tags,
      operationId: 'getPipelineRun',
      summary: 'Get one run: its steps, children, gates and times',
      parameters: [parameter('ifNoneMatch')],
      responses: {
        200: json('the run', ref('PipelineRun'), 'ETag'),
        304: { description: 'you have this revision' },
        ...errorResponses(400, 404),
      },
    },
  },
  [`${BASE}/run/{number}/cancel`]: onRun('cancel', 'Cancel the run; it ends as failed, reason Cancelled'),
  [`${BASE}/run/{number}/retry`]: onRun(
    'retry',
    'Go on at the step that failed; with `spec`, by another spec of the pipeline from here on',
    body({ type: 'object', properties: { spec: requestSchema(PipelineSpec, ['training']) } }, {}),
  ),
  [`${BASE}/run/{number}/approve`]: onRun('approve', 'Approve the run that waits for it', decision),
  [`${BASE}/run/{number}/reject`]: onRun('reject', 'Reject the run that waits for an approval', decision),
  [`${BASE}/schedule`]: {
    parameters: [parameter('id')],
    get: {
      tags,
      operationId: 'getPipelineSchedule',
      summary: 'Get the schedule with its next times',
      responses: { 200: json('the schedule', ref('PipelineSchedule')), ...errorResponses(404) },
    },
  },
  [`${BASE}/webhook`]: {
    parameters: [parameter('id')],
    get: {
      tags,
      operationId: 'getPipelineWebhook',
      summary: 'Get the address and secret of the webhook; every call is audited',
      responses: {
        200: json('paste both where the message comes from', {
          type: 'object',
          properties: {
            enabled: { type: 'boolean', description: 'whether messages start runs' },
            url: text('address'),
            secret: text('signs what you send: `whsec_` and Base64'),
            noticeSecret: text('signs the events that the addresses of `notify` receive'),
          },
          required: ['enabled', 'url', 'secret', 'noticeSecret'],
        }),
        ...errorResponses(404),
      },
    },
    post: {
      tags,
      operationId: 'callPipelineWebhook',
      summary: 'Run the pipeline by a signed message: Standard Webhooks, or the signature of GitHub; needs no token',
      security: [],
      parameters: [
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'x-hub-signature-256',
        'x-github-delivery',
        'x-github-event',
      ].map((name): oas31.ParameterObject => ({ name, in: 'header', schema: { type: 'string' } })),
      requestBody: body(requestSchema(RunRequestBody, []), {}),
      responses: {
        200: json('a message of GitHub that starts no run', {
          type: 'object',
          properties: { ignored: text('why') },
          required: ['ignored'],
        }),
        202: json(
          'the run',
          {
            type: 'object',
            properties: { id: text('id of the run'), number: { type: 'integer' } },
            required: ['id', 'number'],
          },
          'Idempotency-Replayed',
        ),
        ...errorResponses(400, 409, 413, 422),
      },
    },
  },
  [`${BASE}/schedule/pause`]: onSchedule(
    'pause',
    'Halt the schedule',
    200,
    body({ type: 'object', properties: { note: text('why') } }, { note: 'the data of this week are incomplete' }),
  ),
  [`${BASE}/schedule/resume`]: onSchedule('resume', 'Let the schedule go on'),
  [`${BASE}/schedule/trigger`]: onSchedule('trigger', 'Start the scheduled run now, unless one is going on', 202),
};
