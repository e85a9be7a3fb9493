import { createHash } from 'node:crypto';
import { Router } from '@koa/router';
import {
  freshInferenceJob,
  type InferenceJob,
  inferenceJobId,
  type InferenceJobSpec,
  type InferenceJobStatus,
  MOST_DRAWS,
} from '../../lifecycle/kinds/inference-job.js';
import type { InferenceService } from '../../lifecycle/kinds/inference-service.js';
import { inferenceHolding } from '../../lifecycle/stores/holdings.js';
import { acceptInferenceJob } from '../../lifecycle/validation/inference-job-validation.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Runs } from '../../platform/kinds/runs.js';
import { KEPT_MS } from '../../platform/stores/idempotency.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import { readBody } from '../http/body.js';
import { idempotencyKeyOf } from '../http/idempotency.js';
import type { ApiState, Step } from '../http/state.js';
import type { ResourceIdentity } from './generations.js';
import { listStep } from './list.js';
import { type QuotaRoutesDeps, quotaStep } from './quota.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState } from './resource-steps.js';
import type { RunLogDeps } from './run-log.js';
import { runSteps } from './run-steps.js';

export interface InferenceJobRoutesDeps extends ResourceIdentity, RunLogDeps, QuotaRoutesDeps {
  inferenceServices: ResourceStore<InferenceService>;
  inferenceJobs: ResourceStore<InferenceJob>;
  validationContext: ValidationContext;
  runs: Runs;
  idempotent: Step;
  record: RecordChange;
}

/** The digits by which a job is known before it is stored. */
interface DrawnId {
  /** Hexadecimal digits, from which its id is taken. */
  digits: string;
  /** Whether a repeat of the call draws the same digits. */
  isRepeatable: boolean;
}
type JobState = ResourceState<InferenceJobSpec, InferenceJobStatus> & DrawnId;

const FILTERS = {
  inferenceServiceId: { field: 'spec.inferenceServiceId' },
  state: { field: 'status.state' },
} as const;

export function inferenceJobRoutes(deps: InferenceJobRoutesDeps) {
  const { inferenceJobs: store, inferenceServices, validationContext, idempotent, newId } = deps;
  const shared = { ...deps, store, freshStatus: freshInferenceJob };
  const { load, insert, checkRevision, remove, audit, reply, confirm } = resourceSteps({
    ...shared,
    kind: 'InferenceJob',
  });
  const { start, rerun, askToCancel, cancelRun, readLog } = runSteps({
    ...shared,
    kind: 'batchJob',
    notStarted: (id) => `inference job ${id} has not started yet`,
  });

  /** A repeat of the same call draws the same digits, so that a crash between the job and the reply makes no second job. */
  const accept: Step<JobState> = async (ctx, next) => {
    const spec = await acceptInferenceJob(ctx.state.body, validationContext, (id) => inferenceServices.get(id));
    const key = idempotencyKeyOf(ctx);
    const call = key === undefined ? newId() : JSON.stringify([ctx.state.caller.sub, key, ctx.state.body]);
    const digits = createHash('sha256').update(call).digest('hex');
    const id = inferenceJobId(spec.inferenceServiceId, digits, 0);
    ctx.state.digits = digits;
    ctx.state.isRepeatable = key !== undefined;
    ctx.state.accepted = { id, spec: { ...spec, requestId: spec.requestId ?? uuidOf(digits) } };
    await next();
  };

  /** Whether a stored job is of an earlier try of this call; a key may be used for another call a day later. */
  const isRepeat = ({ spec, createdBy, createdAt }: InferenceJob, { accepted, caller }: JobState & ApiState): boolean =>
    spec.requestId === accepted.spec.requestId &&
    createdBy === caller.sub &&
    deps.now().getTime() - Date.parse(createdAt) < KEPT_MS;

  /** Stores the job under the first id that is free, or finds it where an earlier try of this call stored it. */
  const insertDrawn: Step<JobState> = async (ctx, next) => {
    const { accepted, digits, isRepeatable } = ctx.state;
    for (let draw = 0; ; draw += 1) {
      accepted.id = inferenceJobId(accepted.spec.inferenceServiceId, digits, draw);
      const taken = await insert(ctx, async () => undefined).catch((err: unknown) => {
        if (err instanceof SlipwayError && err.code === 'already_exists' && draw + 1 < MOST_DRAWS) return err;
        throw err;
      });
      if (taken === undefined) break;
      const found = isRepeatable ? await store.get(accepted.id) : undefined;
      if (found === undefined || !isRepeat(found, ctx.state)) continue;
      ctx.state.resource = found;
      break;
    }
    await next();
  };

  const countNew = quotaStep<JobState>(deps, ({ accepted, caller }) =>
    inferenceHolding({ kind: 'InferenceJob', ...accepted, createdBy: caller.sub }),
  );
  const countAgain = quotaStep<JobState>(deps, ({ resource }) => inferenceHolding(resource));

  const deleted = confirm((id) => `Inference Service ${id} was deleted`);

  return new Router<ApiState & JobState>({ prefix: '/api/v1/batch/job' })
    .get('/', listStep(store, FILTERS))
    .post('/', readBody, idempotent, accept, countNew, insertDrawn, start, audit('create'), reply(201))
    .get('/:id', load, reply())
    .delete('/:id', load, checkRevision, cancelRun, remove, audit('delete'), deleted)
    .get('/:id/log', load, readLog)
    .post('/:id/cancel', idempotent, load, askToCancel, cancelRun, audit('cancel'), reply(202))
    .post('/:id/rerun', idempotent, load, countAgain, rerun, start, audit('rerun'), reply(202));
}

/** A UUID of version 4 in form; its digits say which call it is of. */
const uuidOf = (digits: string): string =>
  [
    digits.slice(32, 40),
    digits.slice(40, 44),
    `4${digits.slice(44, 47)}`,
    `a${digits.slice(47, 50)}`,
    digits.slice(50, 62),
  ].join('-');
