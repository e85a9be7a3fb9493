import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';
import { DeploymentSpec } from '../../lifecycle/kinds/deployment.js';
import {
  ROLLOUT_STATES,
  type RolloutAction,
  type RolloutStatus as StoredStatus,
} from '../../lifecycle/kinds/rollout.js';
import type { KeptRevision } from '../../lifecycle/stores/deployment-revisions.js';
import { parameter } from './parameters.js';
import { errorResponses, json, ref } from './responses.js';

export const RolloutStatus = z.object({
  state: z.enum(ROLLOUT_STATES),
  step: z.int().meta({ description: 'from 1' }),
  steps: z.int(),
  weight: z.int().meta({ description: 'percent of the calls that the candidate gets' }),
  stable: z.int().meta({ description: 'generation that served before' }),
  message: z.string().optional().meta({ description: 'what was decided last, and why, with its numbers' }),
  requests: z.int().optional().meta({ description: 'calls that the candidate got before it was rolled back' }),
  failed: z.int().optional().meta({ description: 'those of them that failed' }),
}) satisfies z.ZodType<StoredStatus>;

export const DeploymentRevision = z.object({
  generation: z.int(),
  at: z.iso.datetime().meta({ description: 'since when it had all the traffic' }),
  updatedBy: z.string(),
  image: z.string(),
  imageDigest: z.string().optional(),
  imageId: z.string().optional(),
  modelName: z.string(),
  modelVersion: z.string(),
  spec: DeploymentSpec,
}) satisfies z.ZodType<KeptRevision>;

const PATH = '/api/v1/model/deployment/{id}';
const tags = ['ModelDeployment'];

const post = (operationId: string, summary: string, requestBody?: oas31.RequestBodyObject): oas31.PathItemObject => ({
  parameters: [parameter('id')],
  post: {
    ...{ tags, operationId, summary },
    parameters: (['requestId', 'idempotencyKey', 'ifMatch', 'overrideProtection'] as const).map(parameter),
    ...(requestBody && { requestBody }),
    responses: {
      202: json('accepted', ref('ModelDeployment'), 'ETag', 'Idempotency-Replayed'),
      ...errorResponses(400, 404, 409, 412, 413, 422),
    },
  },
});

const SUMMARIES = {
  pause: 'Keep the weights of a rollout; a bad candidate is rolled back all the same',
  resume: 'Go on with a rollout that was paused',
  promote: 'Give the candidate of a rollout all traffic at once',
  abort: 'Roll back: the revision that served before gets all traffic',
} as const satisfies Record<RolloutAction, string>;

export const rolloutPaths: Record<string, oas31.PathItemObject> = {
  [`${PATH}/revision`]: {
    parameters: [parameter('id')],
    get: {
      ...{ tags, operationId: 'listDeploymentRevisions', summary: 'The last 20 revisions that had all the traffic' },
      responses: {
        200: json('the newest one first', { type: 'array', items: ref('DeploymentRevision') }),
        ...errorResponses(404),
      },
    },
  },
  [`${PATH}/rollback`]: post('rollBackDeployment', 'Go back to an earlier revision, without a rollout', {
    required: false,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            generation: { type: 'integer', minimum: 1, description: 'of a kept revision; absent: the one before' },
          },
        },
        example: { generation: 3 },
      },
    },
  }),
  ...Object.fromEntries(
    Object.entries(SUMMARIES).map(([action, summary]) => [
      `${PATH}/rollout/${action}`,
      post(`${action}Rollout`, summary),
    ]),
  ),
};
