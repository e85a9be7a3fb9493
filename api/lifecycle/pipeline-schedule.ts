import { Router } from '@koa/router';
import { PREFIXES } from '../../platform/kinds/candidate.js';
import { notFound, SlipwayError, validationError } from '../../platform/kinds/errors.js';
import { isAbsent, isRecord } from '../../platform/kinds/lenient.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { nextTimes } from '../../lifecycle/kinds/schedule.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { AuditAction, RecordChange } from '../http/audit-record.js';
import { readOptionalBody } from '../http/body.js';
import type { ResourceIdentity } from './generations.js';
import type { ApiState, Step } from '../http/state.js';

export interface PipelineScheduleRoutesDeps extends ResourceIdentity {
  pipelines: ResourceStore<Pipeline>;
  schedules: Omit<Schedules, 'outdated'>;
  idempotent: Step;
  record: RecordChange;
}

interface ScheduleStepState {
  before: Pipeline;
  pipeline: Pipeline;
}
type ScheduleStep = Step<ScheduleStepState>;

const LONGEST_NOTE = 500;

/** @throws bad_json; validation_failed */
function readNote(body: unknown): string {
  if (!isAbsent(body) && !isRecord(body)) throw new SlipwayError('bad_json', 'the body must be a JSON object');
  const note = isRecord(body) ? (body.note ?? '') : '';
  if (typeof note === 'string' && note.length <= LONGEST_NOTE) return note;
  const message = `note must be a text of at most ${LONGEST_NOTE} characters`;
  throw validationError(PREFIXES.ModelPipeline, [{ path: 'note', code: 'invalid', message }]);
}

/** The schedule of a pipeline: looked at, halted, released, run now. */
export function pipelineScheduleRoutes({ pipelines, schedules, idempotent, record, now }: PipelineScheduleRoutesDeps) {
  const load: ScheduleStep = async (ctx, next) => {
    const { id = '' } = ctx.params ?? {};
    const pipeline = await pipelines.get(id);
    if (pipeline === undefined) throw notFound(id);
    if (pipeline.spec.triggers.schedule.cron === undefined) {
      throw new SlipwayError('not_found', `pipeline "${id}" has no schedule; set spec.triggers.schedule`);
    }
    ctx.state.before = pipeline;
    ctx.state.pipeline = pipeline;
    await next();
  };

  const pause: ScheduleStep = async (ctx, next) => {
    const { body, caller, pipeline } = ctx.state;
    const paused = { by: caller.sub, at: now().toISOString(), note: readNote(body) };
    ctx.state.pipeline = await pipelines.update(pipeline.id, (current) =>
      current.status.paused ? undefined : { ...current, status: { ...current.status, paused } },
    );
    await next();
  };

  const resume: ScheduleStep = async (ctx, next) => {
    ctx.state.pipeline = await pipelines.update(ctx.state.pipeline.id, (current) => {
      const { paused, ...status } = current.status;
      return paused === undefined ? undefined : { ...current, status };
    });
    await next();
  };

  const reconcile: ScheduleStep = async (ctx, next) => {
    await schedules.reconcile(ctx.state.pipeline, { enforce: true });
    await next();
  };

  const trigger: ScheduleStep = async (ctx, next) => {
    await schedules.reconcile(ctx.state.pipeline);
    await schedules.trigger(ctx.state.pipeline.id);
    await next();
  };

  const audit =
    (action: AuditAction): ScheduleStep =>
    async (ctx, next) => {
      await record(ctx, { action, before: ctx.state.before, after: ctx.state.pipeline });
      await next();
    };

  /** After a change, the silence of Temporal is no failure: who asks again would begin a second run. */
  const describeIfHeard = (pipeline: Pipeline) => schedules.describe(pipeline).catch(unlessSilent);

  const reply =
    (status: number, describe: Schedules['describe']): ScheduleStep =>
    async (ctx) => {
      const { pipeline } = ctx.state;
      const { cron = '', timeZone } = pipeline.spec.triggers.schedule;
      const kept = await describe(pipeline);
      const { paused } = pipeline.status;
      const isPaused = kept?.paused ?? paused !== undefined;
      ctx.status = status;
      ctx.body = {
        cron,
        timeZone,
        paused: isPaused,
        note: kept?.note ?? paused?.note ?? '',
        ...(paused ? { pausedBy: paused.by, pausedAt: paused.at } : {}),
        next: kept?.next ?? (isPaused ? [] : nextTimes({ cron, timeZone }, 5, now())),
        skipped: kept?.skipped ?? 0,
        missed: kept?.missed ?? 0,
      };
    };

  return new Router<ApiState & ScheduleStepState>({ prefix: '/api/v1/model/pipeline/:id/schedule' })
    .get(
      '/',
      load,
      reply(200, (pipeline) => schedules.describe(pipeline)),
    )
    .post('/pause', readOptionalBody, idempotent, load, pause, reconcile, audit('pause'), reply(200, describeIfHeard))
    .post(
      '/resume',
      readOptionalBody,
      idempotent,
      load,
      resume,
      reconcile,
      audit('resume'),
      reply(200, describeIfHeard),
    )
    .post('/trigger', readOptionalBody, idempotent, load, trigger, audit('trigger'), reply(202, describeIfHeard));
}

function unlessSilent(err: unknown): undefined {
  if (!(err instanceof SlipwayError) || err.code !== 'unavailable') throw err;
}
