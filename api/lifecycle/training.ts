import { Router } from '@koa/router';
import { acceptTraining } from '../../lifecycle/validation/training-validation.js';
import { freshTraining } from '../../lifecycle/kinds/training.js';
import type { Training, TrainingSpec, TrainingStatus } from '../../lifecycle/kinds/training.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import { jobHolding } from '../../lifecycle/stores/holdings.js';
import { readBody } from '../http/body.js';
import { listStep } from './list.js';
import { type QuotaRoutesDeps, quotaStep } from './quota.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState, ResourceStep } from './resource-steps.js';
import type { ResourceIdentity } from './generations.js';
import type { RunLogDeps } from './run-log.js';
import { runSteps } from './run-steps.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ApiState, Step } from '../http/state.js';

export interface TrainingRoutesDeps extends ResourceIdentity, RunLogDeps, QuotaRoutesDeps {
  trainings: ResourceStore<Training>;
  validationContext: ValidationContext;
  runs: Runs;
  idempotent: Step;
  record: RecordChange;
}

type TrainingStep = ResourceStep<TrainingSpec, TrainingStatus>;
type TrainingState = ResourceState<TrainingSpec, TrainingStatus>;

const FILTERS = {
  toolchain: { field: 'spec.toolchain', vocabulary: 'toolchain' },
  model_name: { field: 'spec.model.name' },
  model_version: { field: 'spec.model.version' },
  state: { field: 'status.state' },
} as const;

export function trainingRoutes(deps: TrainingRoutesDeps) {
  const { trainings: store, validationContext, idempotent } = deps;
  const shared = { ...deps, store, freshStatus: freshTraining };
  const { load, insert, replace, checkRevision, remove, audit, reply, confirm } = resourceSteps({
    ...shared,
    kind: 'ModelTraining',
  });
  const { start, rerun, askToCancel, cancelRun, readLog } = runSteps({
    ...shared,
    kind: 'training',
    notStarted: (id) => `model Training ${id} has not started yet`,
  });

  const list = listStep(store, FILTERS);

  const accept: TrainingStep = async (ctx, next) => {
    ctx.state.accepted = await acceptTraining(ctx.state.body, validationContext);
    await next();
  };

  const countNew = quotaStep<TrainingState>(deps, ({ accepted, caller }) =>
    jobHolding({ kind: 'ModelTraining', ...accepted, createdBy: caller.sub }),
  );
  const countChanged = quotaStep<TrainingState>(deps, async ({ accepted, caller }) => {
    const createdBy = (await store.get(accepted.id))?.createdBy ?? caller.sub;
    return jobHolding({ kind: 'ModelTraining', ...accepted, createdBy });
  });
  const countAgain = quotaStep<TrainingState>(deps, ({ resource }) => jobHolding(resource));

  const deleted = confirm((id) => `Model training ${id} was deleted`);

  return new Router<ApiState & TrainingState>({ prefix: '/api/v1/model/training' })
    .get('/', list)
    .post('/', readBody, idempotent, accept, countNew, insert, start, audit('create'), reply(201))
    .put('/', readBody, accept, countChanged, replace(), start, audit('update'), reply())
    .get('/:id', load, reply())
    .delete('/:id', load, checkRevision, cancelRun, remove, audit('delete'), deleted)
    .get('/:id/log', load, readLog)
    .post('/:id/cancel', idempotent, load, askToCancel, cancelRun, audit('cancel'), reply(202))
    .post('/:id/rerun', idempotent, load, countAgain, rerun, start, audit('rerun'), reply(202));
}
