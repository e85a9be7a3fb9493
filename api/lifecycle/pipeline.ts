import { Router } from '@koa/router';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { acceptPipeline } from '../../lifecycle/validation/pipeline-validation.js';
import type { Pipeline, PipelineSpec, PipelineStatus } from '../../lifecycle/kinds/pipeline.js';
import { toRef } from '../../platform/kinds/generation.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { PipelineSubscriptions } from '../../notifications/stores/pipeline-subscriptions.js';
import type { PipelineRunStore } from '../../lifecycle/stores/pipeline-runs.js';
import type { RecordChange } from '../http/audit-record.js';
import { readBody } from '../http/body.js';
import { listStep } from './list.js';
import { requireMayProtect, requireMayTarget } from './protection.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState, ResourceStep } from './resource-steps.js';
import type { ResourceIdentity } from './generations.js';
import type { ApiState, Step } from '../http/state.js';

export interface PipelineRoutesDeps extends ResourceIdentity {
  pipelines: ResourceStore<Pipeline>;
  deployments: ResourceStore<Deployment>;
  pipelineRuns: ResourceStore<PipelineRun>;
  pipelineRunStore: PipelineRunStore;
  schedules: Omit<Schedules, 'outdated'>;
  pipelineSubscriptions: Pick<PipelineSubscriptions, 'reconcile' | 'remove'>;
  validationContext: ValidationContext;
  runs: Runs;
  idempotent: Step;
  record: RecordChange;
}

type PipelineStep = ResourceStep<PipelineSpec, PipelineStatus>;
type PipelineState = ResourceState<PipelineSpec, PipelineStatus>;

export function pipelineRoutes(deps: PipelineRoutesDeps) {
  const { pipelines: store, deployments, pipelineRuns, pipelineRunStore, schedules, pipelineSubscriptions } = deps;
  const { validationContext, runs, idempotent } = deps;
  const { load, insert, checkRevision, remove, audit, reply, confirm, replaceSpec } = resourceSteps({
    ...deps,
    kind: 'ModelPipeline',
    store,
    freshStatus: (): PipelineStatus => ({ lastRun: 0, positions: {} }),
  });

  const list = listStep(store, { model_name: { field: 'spec.training.model.name' } });

  const accept: PipelineStep = async (ctx, next) => {
    ctx.state.accepted = await acceptPipeline(ctx.state.body, validationContext);
    await next();
  };

  /** The runs of a template change its deployment, so who writes one for a protected deployment must be an admin. */
  const mayTarget: PipelineStep = async (ctx, next) => {
    const { id, spec } = ctx.state.accepted.spec.deployment;
    requireMayProtect(ctx, spec);
    if (id !== '') requireMayTarget(ctx, await deployments.get(id));
    await next();
  };

  // After the resource is stored: the sweep repeats both steps, so a crash in between heals.
  const subscribe: PipelineStep = async (ctx, next) => {
    await pipelineSubscriptions.reconcile(ctx.state.resource);
    await next();
  };

  const unsubscribe: PipelineStep = async (ctx, next) => {
    await pipelineSubscriptions.remove(ctx.state.resource);
    await next();
  };

  const schedule: PipelineStep = async (ctx, next) => {
    await schedules.reconcile(ctx.state.resource);
    await next();
  };

  /** Every run that goes on; there may be newer ones than the pipeline knows of. */
  const cancelRuns: PipelineStep = async (ctx, next) => {
    const { id, status } = ctx.state.resource;
    for (let number = Math.max(1, status.lastRun); ; number += 1) {
      const run = await pipelineRunStore.get(id, number);
      if (run === undefined) break;
      if (isFinal(run.status.state)) continue;
      const cancelRequestedAt = run.cancelRequestedAt ?? deps.now().toISOString();
      await pipelineRuns.update(run.id, (current) => ({ ...current, cancelRequestedAt })).catch(unlessGone);
      await runs.cancel('pipeline', toRef(run));
    }
    await next();
  };

  const unschedule: PipelineStep = async (ctx, next) => {
    await schedules.remove(ctx.state.resource.id);
    await next();
  };

  const release = [unsubscribe, unschedule];
  const deleted = confirm((id) => `Model pipeline ${id} was deleted`);

  return (
    new Router<ApiState & PipelineState>({ prefix: '/api/v1/model/pipeline' })
      .get('/', list)
      .post('/', readBody, idempotent, accept, mayTarget, insert, subscribe, schedule, audit('create'), reply(201))
      .put('/', readBody, accept, mayTarget, replaceSpec, subscribe, schedule, audit('update'), reply())
      .get('/:id', load, reply())
      // Again after the removal, for a run that was started between the two.
      .delete('/:id', load, checkRevision, cancelRuns, remove, cancelRuns, ...release, audit('delete'), deleted)
  );
}

function unlessGone(err: unknown): void {
  if (!(err instanceof SlipwayError && err.code === 'not_found')) throw err;
}
