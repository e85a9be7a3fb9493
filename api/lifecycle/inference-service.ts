import { Router } from '@koa/router';
import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import type { InferenceService, InferenceServiceSpec } from '../../lifecycle/kinds/inference-service.js';
import { acceptInferenceService } from '../../lifecycle/validation/inference-service-validation.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import { readBody } from '../http/body.js';
import type { ApiState, Step } from '../http/state.js';
import type { ResourceIdentity } from './generations.js';
import { listStep } from './list.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState, ResourceStep } from './resource-steps.js';

export interface InferenceServiceRoutesDeps extends ResourceIdentity {
  inferenceServices: ResourceStore<InferenceService>;
  inferenceJobs: ResourceStore<InferenceJob>;
  validationContext: ValidationContext;
  idempotent: Step;
  record: RecordChange;
}

type ServiceStep = ResourceStep<InferenceServiceSpec, Record<string, never>>;
type ServiceState = ResourceState<InferenceServiceSpec, Record<string, never>>;

export function inferenceServiceRoutes(deps: InferenceServiceRoutesDeps) {
  const { inferenceServices: store, inferenceJobs, validationContext, idempotent } = deps;
  const { load, insert, replace, checkRevision, remove, audit, reply, confirm } = resourceSteps({
    ...deps,
    kind: 'InferenceService',
    store,
    freshStatus: () => ({}),
  });

  const accept: ServiceStep = async (ctx, next) => {
    ctx.state.accepted = await acceptInferenceService(ctx.state.body, validationContext);
    await next();
  };

  /** Jobs that have ended count too: they show by which program their output was made. */
  const refuseWithJobs: ServiceStep = async (ctx, next) => {
    const { id } = ctx.state.resource;
    const where = [{ field: 'spec.inferenceServiceId', in: [id] }] as const;
    const { total } = await inferenceJobs.page({ where, skip: 0, limit: 1 });
    if (total > 0) {
      const message = `Unable to delete service: "${id}". Cause: there are child jobs`;
      throw new SlipwayError('validation_failed', message);
    }
    await next();
  };

  const deleted = confirm((id) => `Inference Service ${id} was deleted`);

  return new Router<ApiState & ServiceState>({ prefix: '/api/v1/batch/service' })
    .get('/', listStep(store, {}))
    .post('/', readBody, idempotent, accept, insert, audit('create'), reply(201))
    .put('/', readBody, accept, replace(), audit('update'), reply())
    .get('/:id', load, reply())
    .delete('/:id', load, refuseWithJobs, checkRevision, remove, audit('delete'), deleted);
}
