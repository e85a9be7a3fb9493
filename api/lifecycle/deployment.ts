import { Router } from '@koa/router';
import { acceptDeployment } from '../../lifecycle/validation/deployment-validation.js';
import { freshDeployment } from '../../lifecycle/kinds/deployment.js';
import type { Deployment, DeploymentSpec, DeploymentStatus } from '../../lifecycle/kinds/deployment.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { defaultRoute } from '../../lifecycle/kinds/route.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import { deploymentHolding } from '../../lifecycle/stores/holdings.js';
import { readBody } from '../http/body.js';
import { sendDeploymentLog } from './deployment-log.js';
import { listStep } from './list.js';
import { type QuotaRoutesDeps, quotaStep } from './quota.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState, ResourceStep } from './resource-steps.js';
import type { ResourceIdentity } from './generations.js';
import { checkIfMatch, sendResource } from './revision.js';
import { requireMayProtect, requireUnprotected } from './protection.js';
import { toDeploymentMetrics } from '../../lifecycle/kinds/measurement.js';
import type { DeploymentMetricsDeps } from './deployment-metrics.js';
import type { RunLogDeps } from './run-log.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ApiContext, ApiState, Step } from '../http/state.js';

export interface DeploymentRoutesDeps extends ResourceIdentity, RunLogDeps, QuotaRoutesDeps {
  measurements: DeploymentMetricsDeps['measurements'];
  deployments: ResourceStore<Deployment>;
  validationContext: ValidationContext;
  runs: Runs;
  /** Address of the gateway as clients see it. */
  baseUrl: string;
  idempotent: Step;
  record: RecordChange;
}

type DeploymentStep = ResourceStep<DeploymentSpec, DeploymentStatus>;
type DeploymentState = ResourceState<DeploymentSpec, DeploymentStatus>;

const FILTERS = { roleName: { field: 'spec.roleName' }, state: { field: 'status.state' } } as const;

export function deploymentRoutes(deps: DeploymentRoutesDeps) {
  const { deployments: store, validationContext, runs, baseUrl, idempotent, now } = deps;
  const { load, insert, replace, checkRevision, audit, reply, confirm } = resourceSteps({
    ...deps,
    kind: 'ModelDeployment',
    store,
    freshStatus: freshDeployment,
  });

  const list = listStep(store, FILTERS);

  const accept: DeploymentStep = async (ctx, next) => {
    ctx.state.accepted = await acceptDeployment(ctx.state.body, validationContext);
    await next();
  };

  const mayProtect: DeploymentStep = async (ctx, next) => {
    requireMayProtect(ctx, ctx.state.accepted.spec);
    await next();
  };

  // The default route needs no write of its own: it is read off the deployment.
  const start: DeploymentStep = async (ctx, next) => {
    const { before, resource } = ctx.state;
    if (before?.generation !== resource.generation) await runs.changed('deployment', resource);
    await next();
  };

  /** Only marks: its workflow stops the replicas, then removes the document. A repeat is answered alike. */
  const markForDeletion: DeploymentStep = async (ctx, next) => {
    const { id, uid } = ctx.state.resource;
    ctx.state.resource = await store.update(id, (current) => {
      checkIfMatch(ctx, current);
      if (!current.deletionMark) requireUnprotected(ctx, current);
      return current.uid !== uid || current.deletionMark ? undefined : marked(current, now());
    });
    await next();
  };

  const stop: DeploymentStep = async (ctx, next) => {
    await runs.changed('deployment', ctx.state.resource);
    await next();
  };

  const readDefaultRoute: DeploymentStep = async (ctx) => {
    const route = defaultRoute(ctx.state.resource, baseUrl);
    sendResource(ctx, route, toReply(route));
  };

  const readLog: DeploymentStep = async (ctx) => {
    const { resource: deployment } = ctx.state;
    await sendDeploymentLog(ctx, { deployment, reload: () => store.get(deployment.id) }, deps);
  };

  const readMetrics: DeploymentStep = async (ctx) => {
    ctx.body = toDeploymentMetrics(await deps.measurements.read())(ctx.state.resource);
  };

  const count = quotaStep<DeploymentState>(deps, async ({ accepted, caller }) => {
    const createdBy = (await store.get(accepted.id))?.createdBy ?? caller.sub;
    return deploymentHolding({ kind: 'ModelDeployment', ...accepted, createdBy });
  });

  const deleted = confirm((id) => `Model deployment ${id} was deleted`);

  return new Router<ApiState & DeploymentState>({ prefix: '/api/v1/model/deployment' })
    .get('/', list)
    .post('/', readBody, idempotent, accept, mayProtect, count, insert, start, audit('create'), reply(201))
    .put('/', readBody, accept, count, replace(refuse), start, audit('update'), reply())
    .get('/:id', load, reply())
    .delete('/:id', load, checkRevision, markForDeletion, stop, audit('delete'), deleted)
    .get('/:id/default-route', load, readDefaultRoute)
    .get('/:id/metrics', load, readMetrics)
    .get('/:id/log', load, readLog);
}

function refuse(current: Deployment, ctx: ApiContext<DeploymentState>): void {
  if (current.deletionMark) throw new SlipwayError('deleting', `deployment "${current.id}" is being deleted`);
  requireUnprotected(ctx, current, ctx.state.accepted.spec);
}

function marked(deployment: Deployment, now: Date): Deployment {
  const { status } = deployment;
  const transitions = [...status.transitions, { state: 'Deleting', at: now.toISOString() }];
  return { ...deployment, deletionMark: true, status: { ...status, state: 'Deleting', transitions } };
}
