import { Router } from '@koa/router';
import { type Deployment, freshDeployment } from '../../lifecycle/kinds/deployment.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { ROLLOUT_ACTIONS, type RolloutAction, type Rollouts } from '../../lifecycle/kinds/rollout.js';
import type { DeploymentRevisions, KeptRevision } from '../../lifecycle/stores/deployment-revisions.js';
import { acceptDeployment } from '../../lifecycle/validation/deployment-validation.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import { notFound, SlipwayError } from '../../platform/kinds/errors.js';
import { isSameJson, toRef } from '../../platform/kinds/generation.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { AuditAction, RecordChange } from '../http/audit-record.js';
import { readOptionalBody } from '../http/body.js';
import { deploymentHolding } from '../../lifecycle/stores/holdings.js';
import { nextGeneration, type ResourceIdentity } from './generations.js';
import { requireUnprotected } from './protection.js';
import { type QuotaRoutesDeps, quotaStep } from './quota.js';
import { checkIfMatch, sendResource } from './revision.js';
import type { ApiState, Step } from '../http/state.js';

export interface RolloutRoutesDeps extends ResourceIdentity, QuotaRoutesDeps {
  deployments: ResourceStore<Deployment>;
  revisions: Pick<DeploymentRevisions, 'list'>;
  rollouts: Rollouts;
  validationContext: ValidationContext;
  runs: Runs;
  idempotent: Step;
  record: RecordChange;
}

interface RolloutState {
  before: Deployment;
  deployment: Deployment;
  /** To which the deployment goes back. */
  revision: KeptRevision;
}
type RolloutStep = Step<RolloutState>;

/** The rollout of a deployment that goes on, and the way back to an earlier revision. */
export function rolloutRoutes(deps: RolloutRoutesDeps) {
  const { deployments, revisions, rollouts, runs, idempotent, record, now } = deps;

  const load: RolloutStep = async (ctx, next) => {
    const { id = '' } = ctx.params ?? {};
    const deployment = await deployments.get(id);
    if (deployment === undefined) throw notFound(id);
    ctx.state.before = deployment;
    ctx.state.deployment = deployment;
    await next();
  };

  const mayChange: RolloutStep = async (ctx, next) => {
    const { deployment } = ctx.state;
    checkIfMatch(ctx, deployment);
    if (deployment.deletionMark) throw new SlipwayError('deleting', `deployment "${deployment.id}" is being deleted`);
    requireUnprotected(ctx, deployment);
    await next();
  };

  const request =
    (action: RolloutAction): RolloutStep =>
    async (ctx, next) => {
      const { deployment, caller } = ctx.state;
      const { state } = deployment.status.rollout ?? {};
      if (state !== 'baking' && state !== 'paused') {
        throw new SlipwayError('not_waiting', `no rollout of deployment "${deployment.id}" is going on`);
      }
      await rollouts.request(action, toRef(deployment), caller.sub);
      await next();
    };

  const findRevision: RolloutStep = async (ctx, next) => {
    const { deployment, body } = ctx.state;
    const wanted = generationIn(body);
    const kept = await revisions.list(deployment.uid);
    const revision = kept.find(({ generation }) =>
      wanted === undefined ? generation < deployment.generation : generation === wanted,
    );
    if (revision === undefined) {
      const known = kept.map((each) => each.generation).join(', ') || 'none';
      throw new SlipwayError(
        'not_found',
        `no revision ${wanted ?? 'before this'} is kept of "${deployment.id}"; kept are: ${known}`,
      );
    }
    ctx.state.revision = revision;
    await next();
  };

  /** Protection and plan are not of the revision. The image is named by what ran: a tag may lead to another one today. */
  const goBack: RolloutStep = async (ctx, next) => {
    const { deployment, revision, caller } = ctx.state;
    const { protected: isProtected, pipeline, rollout } = deployment.spec;
    const image = revision.imageDigest && `${revision.image.replace(/@.*$/, '')}@${revision.imageDigest}`;
    const wanted = { ...revision.spec, ...(image && { image }), protected: isProtected, pipeline, rollout };
    const { spec } = await acceptDeployment({ id: deployment.id, spec: wanted }, deps.validationContext);
    if (isSameJson(deployment.spec, spec)) {
      throw new SlipwayError('conflict', `deployment "${deployment.id}" has this revision already`);
    }
    ctx.state.deployment = await deployments.update(deployment.id, (current) => {
      if (current.uid !== deployment.uid || current.generation !== deployment.generation) {
        throw new SlipwayError('conflict', `deployment "${deployment.id}" was changed meanwhile`);
      }
      const status = freshDeployment(now(), current.id);
      const next = nextGeneration(current, { spec, status }, caller, deps);
      return next && { ...next, atOnce: next.generation };
    });
    await next();
  };

  const start: RolloutStep = async (ctx, next) => {
    await runs.changed('deployment', ctx.state.deployment);
    await next();
  };

  const count = quotaStep<RolloutState>(deps, ({ deployment, revision: { spec } }) =>
    deploymentHolding({ ...deployment, spec }),
  );

  const audit =
    (action: AuditAction): RolloutStep =>
    async (ctx, next) => {
      const { before, deployment: after } = ctx.state;
      await record(ctx, { action, before, after });
      await next();
    };

  const reply: RolloutStep = async (ctx) => sendResource(ctx, ctx.state.deployment, toReply(ctx.state.deployment), 202);

  const sendRevisions: RolloutStep = async (ctx) => {
    ctx.body = await revisions.list(ctx.state.deployment.uid);
  };

  const router = new Router<ApiState & RolloutState>({ prefix: '/api/v1/model/deployment/:id' })
    .get('/revision', load, sendRevisions)
    .post(
      '/rollback',
      readOptionalBody,
      idempotent,
      load,
      mayChange,
      findRevision,
      count,
      goBack,
      start,
      audit('update'),
      reply,
    );
  for (const action of ROLLOUT_ACTIONS) {
    router.post(`/rollout/${action}`, idempotent, load, mayChange, request(action), audit(`rollout.${action}`), reply);
  }
  return router;
}

/** @returns undefined for the revision before. @throws validation_failed */
function generationIn(body: unknown): number | undefined {
  const generation: unknown =
    typeof body === 'object' && body !== null && 'generation' in body ? body.generation : null;
  if (generation === null) return undefined;
  if (typeof generation === 'number' && Number.isInteger(generation) && generation > 0) return generation;
  throw new SlipwayError('validation_failed', 'send {"generation": N} with the number of a kept revision');
}
