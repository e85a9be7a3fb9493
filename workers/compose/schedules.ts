import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Logger } from 'pino';
import { notFound, unavailable } from '../../platform/kinds/errors.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { zoneOf } from '../../lifecycle/kinds/schedule.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import { digestOf } from '../../lifecycle/stores/reuse.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';
import { priorityOf } from './fairness.js';

/** The control loops of an installation: a workflow each, so that none waits for another. */
const LOOPS = [
  {
    schedule: 'sweep/starts',
    workflow: 'sweep',
    summary: 'look for runs that did not start and for cancellations that were not heard',
  },
  { schedule: 'sweep/triggers', workflow: 'triggers', summary: 'look for pipelines whose triggers call for a run' },
  { schedule: 'sweep/upkeep', workflow: 'upkeep', summary: 'remove what is past its retention time' },
] as const;

const UPKEEP_SECONDS = 3_600;

/** Creates the schedules of the control loops, or brings them to the wanted settings. */
export async function ensureLoopSchedules(client: Client, sweepSeconds: number): Promise<void> {
  for (const { schedule, workflow, summary } of LOOPS) {
    const seconds = workflow === 'upkeep' ? UPKEEP_SECONDS : sweepSeconds;
    await putSchedule(client, schedule, {
      spec: { intervals: [{ every: seconds * 1_000 }] },
      action: {
        type: 'startWorkflow' as const,
        workflowType: workflow,
        workflowId: workflow,
        taskQueue: 'control',
        args: [],
        staticSummary: summary,
        typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.resourceKind, value: workflow }],
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' as const },
    });
  }
}

type ScheduleParts = Omit<Parameters<Client['schedule']['create']>[0], 'scheduleId' | 'state'>;
interface PausedState {
  paused: boolean;
  note: string;
}

/** @param state kept as it is when absent */
async function putSchedule(client: Client, scheduleId: string, parts: ScheduleParts, state?: PausedState) {
  try {
    await client.schedule.create({ scheduleId, ...parts, ...(state && { state }) });
  } catch (err) {
    if (!(err instanceof ScheduleAlreadyRunning)) throw err;
    await client.schedule
      .getHandle(scheduleId)
      .update((previous) => ({ ...parts, state: { ...previous.state, ...state } }));
  }
}

export const scheduleId = (pipelineId: string): string => `retrain/${pipelineId}`;

export interface SchedulesOptions {
  client: Client;
  log: Pick<Logger, 'warn'>;
  /** No request waits longer for Temporal; the sweep takes care of the rest. */
  deadlineMs?: number;
}

/** Schedules of pipelines on Temporal; this is their only writer. */
export function createSchedules({ client, log, deadlineMs = 3_000 }: SchedulesOptions): Schedules {
  const soon = <T>(call: () => Promise<T>): Promise<T> => client.connection.withDeadline(Date.now() + deadlineMs, call);
  const handleOf = (id: string) => client.schedule.getHandle(scheduleId(id));

  async function find(id: string): Promise<ScheduleDescription | undefined> {
    return handleOf(id)
      .describe()
      .catch((err: unknown) => {
        if (err instanceof ScheduleNotFoundError) return undefined;
        throw err;
      });
  }

  async function remove(id: string): Promise<void> {
    await handleOf(id)
      .delete()
      .catch((err: unknown) => {
        if (!(err instanceof ScheduleNotFoundError)) throw err;
      });
  }

  async function bringAbout(pipeline: Pipeline, enforce: boolean): Promise<boolean> {
    const found = await find(pipeline.id);
    if (pipeline.spec.triggers.schedule.cron === undefined) {
      if (found) await remove(pipeline.id);
      return found !== undefined;
    }
    const wanted = wantedOf(pipeline);
    if (!enforce && found && isSame(found.action.args?.[0], wanted.settings)) return false;
    await putSchedule(client, scheduleId(pipeline.id), wanted.parts, wanted.state);
    return true;
  }

  return {
    async reconcile(pipeline, { enforce = false } = {}) {
      return soon(() => bringAbout(pipeline, enforce)).catch((err: unknown) => {
        log.warn({ err, pipeline: pipeline.id }, 'the schedule is left to the sweep');
        return false;
      });
    },

    async remove(id) {
      await soon(() => remove(id)).catch((err: unknown) => {
        log.warn({ err, pipeline: id }, 'a schedule of a removed pipeline ends with its next time');
      });
    },

    async describe({ id }) {
      const found = await soon(() => find(id)).catch(noAnswer);
      if (found === undefined) return undefined;
      const { info, state } = found;
      return {
        paused: state.paused,
        note: state.note ?? '',
        next: state.paused ? [] : info.nextActionTimes.map((time) => time.toISOString()),
        skipped: info.numActionsSkippedOverlap,
        missed: info.numActionsMissedCatchupWindow,
      };
    },

    async trigger(id) {
      await soon(() => handleOf(id).trigger(ScheduleOverlapPolicy.SKIP)).catch((err: unknown) => {
        if (err instanceof ScheduleNotFoundError) throw notFound(scheduleId(id));
        return noAnswer(err);
      });
    },
  };
}

function noAnswer(cause: unknown): never {
  throw unavailable('Temporal does not answer', cause);
}

/** The first argument of the workflow names the settings, so that a reconcile sees whether they are the wanted ones. */
const isSame = (argument: unknown, settings: string): boolean =>
  (argument as { settings?: unknown } | null | undefined)?.settings === settings;

function wantedOf({ id, spec, status, createdBy }: Pipeline) {
  const { cron = '', timeZone, jitterSeconds, catchupSeconds } = spec.triggers.schedule;
  const state: PausedState = { paused: status.paused !== undefined, note: status.paused?.note ?? '' };
  const priority = priorityOf({ createdBy });
  const settings = digestOf({ schedule: spec.triggers.schedule, paused: status.paused ?? null, priority });
  const parts: ScheduleParts = {
    spec: { cronExpressions: [cron], timezone: zoneOf(timeZone), jitter: jitterSeconds * 1_000 },
    action: {
      type: 'startWorkflow',
      workflowType: 'retraining',
      workflowId: scheduleId(id),
      taskQueue: 'control',
      args: [{ pipelineId: id, settings }],
      staticSummary: `scheduled run of pipeline ${id}`,
      ...{ priority }, // the SDK sends it, although its type of this action lacks it
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.resourceKind, value: 'retraining' },
        { key: SEARCH_ATTRIBUTES.pipelineId, value: id },
        { key: SEARCH_ATTRIBUTES.trigger, value: 'schedule' },
      ],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: catchupSeconds * 1_000 },
  };
  return { parts, state, settings };
}
