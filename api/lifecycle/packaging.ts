import { Router } from '@koa/router';
import { acceptPackaging } from '../../lifecycle/validation/packaging-validation.js';
import { freshPackaging } from '../../lifecycle/kinds/packaging.js';
import type { Packaging, PackagingSpec, PackagingStatus } from '../../lifecycle/kinds/packaging.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { CreationChecks } from '../../lifecycle/stores/creation-checks.js';
import { PREFIXES } from '../../platform/kinds/candidate.js';
import { validationError } from '../../platform/kinds/errors.js';
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

export interface PackagingRoutesDeps extends ResourceIdentity, RunLogDeps, QuotaRoutesDeps {
  packagings: ResourceStore<Packaging>;
  validationContext: ValidationContext;
  creationChecks: Pick<CreationChecks, 'hasArtifact'>;
  runs: Runs;
  idempotent: Step;
  record: RecordChange;
}

type PackagingStep = ResourceStep<PackagingSpec, PackagingStatus>;
type PackagingState = ResourceState<PackagingSpec, PackagingStatus>;

/** `type` is the older name of `integrationName`. */
const FILTERS = {
  type: { field: 'spec.integrationName', vocabulary: 'packager' },
  integrationName: { field: 'spec.integrationName', vocabulary: 'packager' },
  artifactName: { field: 'spec.artifactName' },
  state: { field: 'status.state' },
} as const;

export function packagingRoutes(deps: PackagingRoutesDeps) {
  const { packagings: store, validationContext, creationChecks, idempotent } = deps;
  const shared = { ...deps, store, freshStatus: freshPackaging };
  const { load, insert, replace, checkRevision, remove, audit, reply, confirm } = resourceSteps({
    ...shared,
    kind: 'ModelPackaging',
  });
  const { start, rerun, askToCancel, cancelRun, readLog } = runSteps({
    ...shared,
    kind: 'packaging',
    notStarted: (id) => `model packaging ${id} has not started yet`,
  });

  const list = listStep(store, FILTERS);

  const accept: PackagingStep = async (ctx, next) => {
    ctx.state.accepted = await acceptPackaging(ctx.state.body, validationContext);
    await next();
  };

  const requireArtifact: PackagingStep = async (ctx, next) => {
    const { spec } = ctx.state.accepted;
    if ((await creationChecks.hasArtifact(spec)) === false) {
      const message = `there is no artifact "${spec.artifactName}" in ${spec.outputConnection}: take status.artifactName of a training`;
      throw validationError(PREFIXES.ModelPackaging, [{ path: 'spec.artifactName', code: 'not_found', message }]);
    }
    await next();
  };

  const countNew = quotaStep<PackagingState>(deps, ({ accepted, caller }) =>
    jobHolding({ kind: 'ModelPackaging', ...accepted, createdBy: caller.sub }),
  );
  const countChanged = quotaStep<PackagingState>(deps, async ({ accepted, caller }) => {
    const createdBy = (await store.get(accepted.id))?.createdBy ?? caller.sub;
    return jobHolding({ kind: 'ModelPackaging', ...accepted, createdBy });
  });
  const countAgain = quotaStep<PackagingState>(deps, ({ resource }) => jobHolding(resource));

  const deleted = confirm((id) => `Model packaging ${id} was deleted`);

  return new Router<ApiState & PackagingState>({ prefix: '/api/v1/model/packaging' })
    .get('/', list)
    .post('/', readBody, idempotent, accept, requireArtifact, countNew, insert, start, audit('create'), reply(201))
    .put('/', readBody, accept, countChanged, replace(), start, audit('update'), reply())
    .get('/:id', load, reply())
    .delete('/:id', load, checkRevision, cancelRun, remove, audit('delete'), deleted)
    .get('/:id/log', load, readLog)
    .post('/:id/cancel', idempotent, load, askToCancel, cancelRun, audit('cancel'), reply(202))
    .post('/:id/rerun', idempotent, load, countAgain, rerun, start, audit('rerun'), reply(202));
}
