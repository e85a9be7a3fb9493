import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { DEPLOYMENT_STATES } from '../../lifecycle/kinds/deployment-state.js';
import { integer, oneOf, text } from './data-fields.js';
import { type EmittedEvent, MODEL_PATH, shortened } from './emitted-event.js';
import type { EventFamily } from './event-family.js';
import { MODEL_FIELDS, RESOURCE_FIELDS, resourceData, WHY_FIELDS } from './run-data.js';

export const DEPLOYMENT_FAMILY: EventFamily = {
  name: 'pipeline.deployment',
  fields: {
    ...RESOURCE_FIELDS,
    state: oneOf(DEPLOYMENT_STATES),
    ...WHY_FIELDS,
    ...MODEL_FIELDS,
    image: text(),
    image_digest: text(),
    warning: text(),
    replicas: integer(),
    available_replicas: integer(),
    created_by: text(),
  },
  example: {
    source: '/api/v1/model/deployment',
    subject: 'deployment/wine',
    data: {
      ...{ kind: 'ModelDeployment', id: 'wine', version: 4, generation: 2, state: 'Ready', created_by: 'ana' },
      ...{
        image: 'registry.example/wine:3',
        replicas: 2,
        available_replicas: 2,
        model_name: 'wine',
        model_version: '3',
      },
    },
  },
  types: {
    created: { description: 'A deployment was created.', data: { state: 'Processing', available_replicas: 0 } },
    ready: { description: 'All replicas of a deployment answer; also after a change of its image.' },
    degraded: {
      description: 'A deployment that was ready lost replicas.',
      data: { state: 'Processing', available_replicas: 1 },
    },
    failed: {
      description: 'A deployment failed; an earlier generation may serve on.',
      data: { state: 'Failed', reason: 'CrashLoop', message: 'the container ends with code 1' },
    },
    deleted: { description: 'A deployment is gone.' },
  },
};

/** Returns the event of a write of a deployment, if there is one. */
export function deploymentEvent(
  before: Deployment | undefined,
  after: Deployment | undefined,
): EmittedEvent | undefined {
  const word = deploymentWord(before, after);
  const resource = after ?? before;
  if (word === undefined || resource === undefined) return undefined;
  const { id, spec, status, createdBy } = resource;
  return {
    type: `pipeline.deployment.${word}`,
    source: `${MODEL_PATH}/deployment`,
    subject: `deployment/${id}`,
    data: {
      ...resourceData(resource),
      state: status.state,
      reason: status.reason,
      message: shortened(status.message),
      image: spec.image,
      image_digest: status.imageDigest,
      warning: shortened(status.warning),
      replicas: status.replicas,
      available_replicas: status.availableReplicas,
      model_name: status.modelName,
      model_version: status.modelVersion,
      created_by: createdBy,
    },
  };
}

function deploymentWord(before: Deployment | undefined, after: Deployment | undefined): string | undefined {
  if (after === undefined) return 'deleted';
  if (before === undefined) return 'created';
  const [from, to] = [before.status.state, after.status.state];
  if (from === to) return undefined;
  if (to === 'Ready') return 'ready';
  if (to === 'Failed') return 'failed';
  return from === 'Ready' && to === 'Processing' && before.generation === after.generation ? 'degraded' : undefined;
}
