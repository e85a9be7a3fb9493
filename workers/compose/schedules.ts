import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleSummary,
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
  /** The sweep alone lists schedules. */
  listDeadlineMs?: number;
}

/** Schedules of pipelines on Temporal; this is their only writer. */
export function createSchedules({
  client,
  log,
  deadlineMs = 3_000,
  listDeadlineMs = 30_000,
}: SchedulesOptions): Schedules {
  const within = <T>(ms: number, call: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(Date.now() + ms, call);
  const soon = <T>(call: () => Promise<T>): Promise<T> => within(deadlineMs, call);
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
    if (!isScheduled(pipeline)) {
      if (found) await remove(pipeline.id);
      return found !== undefined;
    }
    const wanted = wantedOf(pipeline);
    const isSame = !enforce && found !== undefined && settingsOf(found) === wanted.settings;
    if (isSame && listedSettings(found) === wanted.settings) return false;
    // An earlier version wrote no search attribute: a pause that was set by hand since then stays.
    await putSchedule(client, scheduleId(pipeline.id), wanted.parts, isSame ? undefined : wanted.state);
    return true;
  }

  async function list(): Promise<Map<string, string | undefined>> {
    const found = new Map<string, string | undefined>();
    for await (const each of client.schedule.list()) found.set(each.scheduleId, listedSettings(each));
    return found;
  }

  return {
    async outdated(pipelines) {
      const listed = await within(listDeadlineMs, list).catch(noAnswer);
      return pipelines.filter((pipeline) => {
        const id = scheduleId(pipeline.id);
        return isScheduled(pipeline) ? listed.get(id) !== wantedOf(pipeline).settings : listed.has(id);
      });
    },

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

const isScheduled = ({ spec }: Pipeline): boolean => spec.triggers.schedule.cron !== undefined;

/** The first argument of the workflow names the settings, so that a reconcile sees whether they are the wanted ones. */
const settingsOf = ({ action }: ScheduleDescription): unknown =>
  (action.args?.[0] as { settings?: unknown } | null | undefined)?.settings;

/** The same settings where a list of schedules shows them. */
const listedSettings = ({ typedSearchAttributes }: ScheduleSummary): string | undefined =>
  typedSearchAttributes?.get(SEARCH_ATTRIBUTES.settings);

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
    typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.settings, value: settings }],
  };
  return { parts, state, settings };
}
