import { Router } from '@koa/router';
import type { Approvals } from '../../lifecycle/kinds/approvals.js';
import { notFound, SlipwayError } from '../../platform/kinds/errors.js';
import { isSameJson, runAgain, toRef } from '../../platform/kinds/generation.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { readDecision, readRetry, readRunRequest, withTemplate } from '../../lifecycle/kinds/pipeline-run-request.js';
import { type Approval, type PipelineRun, pipelineRunId } from '../../lifecycle/kinds/pipeline-run.js';
import { acceptPipeline } from '../../lifecycle/validation/pipeline-validation.js';
import type { Pipeline, PipelineSpec } from '../../lifecycle/kinds/pipeline.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { freshRun, isFinal } from '../../platform/kinds/run-status.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { PipelineRunStore } from '../../lifecycle/stores/pipeline-runs.js';
import { runHolding } from '../../lifecycle/stores/holdings.js';
import type { AuditAction, RecordChange } from '../http/audit-record.js';
import { readOptionalBody } from '../http/body.js';
import type { ResourceIdentity } from './generations.js';
import { requireMayProtect, requireMayTarget } from './protection.js';
import { type QuotaRoutesDeps, quotaStep } from './quota.js';
import { setPageHeaders } from '../http/paging.js';
import { badQuery, parseListQuery } from '../http/query.js';
import { checkIfMatch, sendResource } from './revision.js';
import type { ApiState, Step } from '../http/state.js';

export interface PipelineRunRoutesDeps extends ResourceIdentity, QuotaRoutesDeps {
  pipelines: ResourceStore<Pipeline>;
  deployments: ResourceStore<Deployment>;
  pipelineRuns: ResourceStore<PipelineRun>;
  pipelineRunStore: PipelineRunStore;
  approvals: Approvals;
  validationContext: ValidationContext;
  runs: Runs;
  idempotent: Step;
  record: RecordChange;
}

interface RunState {
  pipeline: Pipeline;
  before: PipelineRun | undefined;
  run: PipelineRun;
}
type RunStep = Step<RunState>;
type Deps = PipelineRunRoutesDeps;

/** The roles that may approve when the pipeline names no roles. */
const APPROVERS = ['admin', 'data_scientist'];

export function pipelineRunRoutes(deps: PipelineRunRoutesDeps) {
  const { idempotent } = deps;
  const run = '/:id/run/:number';
  return new Router<ApiState & RunState>({ prefix: '/api/v1/model/pipeline' })
    .get('/:id/run', loadPipeline(deps), list(deps))
    .post(
      '/:id/run',
      readOptionalBody,
      idempotent,
      loadPipeline(deps),
      quotaStep<RunState>(deps, ({ pipeline, caller }) =>
        runHolding({ id: pipelineRunId(pipeline.id, pipeline.status.lastRun + 1), createdBy: caller.sub }),
      ),
      open(deps),
      start(deps),
      audit(deps, 'create'),
      reply(201),
    )
    .get(run, load(deps), reply())
    .post(`${run}/cancel`, idempotent, load(deps), match, cancel(deps), audit(deps, 'cancel'), reply(202))
    .post(
      `${run}/retry`,
      readOptionalBody,
      idempotent,
      loadPipeline(deps),
      load(deps),
      match,
      quotaStep<RunState>(deps, ({ run }) => runHolding(run)),
      retry(deps),
      start(deps),
      audit(deps, 'rerun'),
      reply(202),
    )
    .post(
      `${run}/approve`,
      readOptionalBody,
      idempotent,
      load(deps),
      match,
      decide(deps, 'approved'),
      audit(deps, 'approve'),
      reply(202),
    )
    .post(
      `${run}/reject`,
      readOptionalBody,
      idempotent,
      load(deps),
      match,
      decide(deps, 'rejected'),
      audit(deps, 'reject'),
      reply(202),
    );
}

const loadPipeline =
  ({ pipelines }: Deps): RunStep =>
  async (ctx, next) => {
    const { id = '' } = ctx.params ?? {};
    const pipeline = await pipelines.get(id);
    if (pipeline === undefined) throw notFound(id);
    ctx.state.pipeline = pipeline;
    await next();
  };

const load =
  ({ pipelineRunStore }: Deps): RunStep =>
  async (ctx, next) => {
    const { id = '', number = '' } = ctx.params ?? {};
    if (!/^[1-9]\d{0,8}$/.test(number)) throw badQuery(`a run is named by its number, not "${number}"`);
    const run = await pipelineRunStore.get(id, Number(number));
    if (run === undefined) throw new SlipwayError('not_found', `pipeline "${id}" has no run ${number}`);
    ctx.state.before = run;
    ctx.state.run = run;
    await next();
  };

/** Compares If-Match with the generation of the run, because a retry makes another generation. */
const match: RunStep = async (ctx, next) => {
  checkIfMatch(ctx, ctx.state.run);
  await next();
};

/** Newest first; read by their numbers, so that a page costs the same however many runs there are. */
const list =
  ({ pipelineRunStore }: Deps): RunStep =>
  async (ctx) => {
    const { size, page } = parseListQuery(ctx);
    const { pipeline } = await pipelineRunStore.newest(ctx.state.pipeline.id);
    const { lastRun } = pipeline.status;
    const numbers = Array.from({ length: Math.min(size, lastRun) }, (_, at) => lastRun - page * size - at);
    const found = await Promise.all(
      numbers.filter((number) => number > 0).map((number) => pipelineRunStore.get(pipeline.id, number)),
    );
    setPageHeaders(ctx, { size, page, total: lastRun });
    ctx.body = found.flatMap((run) => (run === undefined ? [] : [toReply(run)]));
  };

const open =
  ({ pipelineRunStore, now }: Deps): RunStep =>
  async (ctx, next) => {
    const { pipeline, caller, body } = ctx.state;
    const { parameters, version, noCache } = readRunRequest(body, pipeline);
    // The repeat of a call whose process died finds the run that it made.
    const key = ctx.get('Idempotency-Key') === '' ? {} : { key: `${caller.sub} ${ctx.get('Idempotency-Key')}` };
    const trigger = { type: 'api', at: now().toISOString(), by: caller.sub, ...key } as const;
    ctx.state.before = undefined;
    ctx.state.run = await pipelineRunStore.open(pipeline.id, { parameters, version, noCache, trigger });
    await next();
  };

// After the document is stored: if this process dies before the run starts, the sweep starts it.
const start =
  ({ runs }: Deps): RunStep =>
  async (ctx, next) => {
    await runs.changed('pipeline', ctx.state.run);
    await next();
  };

/** Keeps the steps that succeeded with the same spec, so a run continues at the step that failed. */
const retry =
  ({ pipelineRuns, pipelineRunStore, deployments, validationContext, now }: Deps): RunStep =>
  async (ctx, next) => {
    const { run, body, pipeline } = ctx.state;
    const { run: newest } = await pipelineRunStore.newest(pipeline.id);
    if (newest?.id !== run.id) {
      throw new SlipwayError('already_finished', `run ${newest?.id} is newer; only the newest run can be retried`);
    }
    const given = readRetry(body);
    const template =
      given === undefined
        ? undefined
        : (await acceptPipeline({ id: pipeline.id, spec: given }, validationContext)).spec;
    if (template !== undefined && !ctx.state.caller.roles.includes('admin')) {
      requireSameGates(run, template);
      requireMayProtect(ctx, template.deployment.spec);
      requireMayTarget(ctx, await deployments.get(template.deployment.id));
    }
    ctx.state.run = await pipelineRuns.update(run.id, (current) => {
      if (current.status.state === 'succeeded') {
        throw new SlipwayError('already_finished', `run ${run.id} has succeeded; start a new one`);
      }
      if (!isFinal(current.status.state)) throw new SlipwayError('not_finished', `run ${run.id} has not finished yet`);
      const again = runAgain(current, { ...freshRun(now()), steps: [], gates: [] });
      const spec = template === undefined ? current.spec : withTemplate(current.spec, template);
      return { ...again, spec, updatedAt: now().toISOString(), updatedBy: ctx.state.caller.sub };
    });
    await next();
  };

/** A retry must not drop what the run has to pass. @throws forbidden */
function requireSameGates({ id, spec }: PipelineRun, { gates, deployment }: PipelineSpec): void {
  const { template } = spec;
  const fixed = { gates: [template.gates, gates], 'deployment.id': [template.deployment.id, deployment.id] };
  for (const [path, [before, after]] of Object.entries(fixed)) {
    if (isSameJson(before, after)) continue;
    throw new SlipwayError('forbidden', `${path} of run ${id} is fixed: start a new run, or ask an admin to retry it`);
  }
}

const cancel =
  ({ pipelineRuns, runs, now }: Deps): RunStep =>
  async (ctx, next) => {
    const { run } = ctx.state;
    ctx.state.run = await pipelineRuns.update(run.id, (current) => {
      if (isFinal(current.status.state))
        throw new SlipwayError('already_finished', `run ${run.id} has finished already`);
      return current.cancelRequestedAt ? undefined : { ...current, cancelRequestedAt: now().toISOString() };
    });
    await runs.cancel('pipeline', toRef(ctx.state.run));
    await next();
  };

const decide =
  ({ pipelineRuns, approvals, now, newId }: Deps, decision: Approval['decision']): RunStep =>
  async (ctx, next) => {
    const { run, caller, body } = ctx.state;
    const { roles, allowAuthor = roles.length === 0 } = run.spec.template.gates.approval;
    const allowed = roles.length > 0 ? roles : APPROVERS;
    if (!caller.roles.some((role) => allowed.includes(role))) {
      throw new SlipwayError('forbidden', `run ${run.id} is decided by the roles ${allowed.join(', ')}`);
    }
    const authors = [run.createdBy, run.updatedBy];
    if (decision === 'approved' && !allowAuthor && authors.includes(caller.sub)) {
      throw new SlipwayError(
        'forbidden',
        `run ${run.id} is yours: another person with the roles ${allowed.join(', ')} approves it`,
      );
    }
    const approval = { decision, by: caller.sub, at: now().toISOString(), reason: readDecision(body) };
    // The key belongs to one caller and one decision: the same key of another caller is another decision.
    const key = `${decision} by ${caller.sub}: ${ctx.get('Idempotency-Key') || newId()}`;
    await approvals.decide(run, approval, key);
    ctx.state.run = (await pipelineRuns.get(run.id)) ?? run;
    await next();
  };

const audit =
  ({ record }: Deps, action: AuditAction): RunStep =>
  async (ctx, next) => {
    await record(ctx, { action, before: ctx.state.before, after: ctx.state.run });
    await next();
  };

const reply =
  (status = 200): RunStep =>
  async (ctx) =>
    sendResource(ctx, ctx.state.run, toReply(ctx.state.run), status);
