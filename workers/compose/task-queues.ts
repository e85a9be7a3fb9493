import type { NativeConnection, WorkerDeploymentOptions, WorkerOptions } from '@temporalio/worker';
import { createFailureInterceptor } from '../../activities/shared/interceptor.js';
import type { Settings } from '../../config.js';
import { ATTEMPT_MS } from '../../notifications/kinds/attempt.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Queue, QUEUES } from '../../platform/kinds/queues.js';
import { dataConverterOf } from './payload-codec.js';

/** The task queues that a worker polls, each once. @throws validation_failed before anything is opened */
export function queuesOf({ SLIPWAY_QUEUES: names }: Pick<Settings, 'SLIPWAY_QUEUES'>): Queue[] {
  const known = `use ${Object.keys(QUEUES).join(', ')}`;
  const unknown = names.find((name) => !isQueue(name));
  if (unknown !== undefined)
    throw new SlipwayError('validation_failed', `SLIPWAY_QUEUES names "${unknown}", which is no queue: ${known}`);
  if (names.length === 0) throw new SlipwayError('validation_failed', `SLIPWAY_QUEUES names no queue: ${known}`);
  return [...new Set(names.filter(isQueue))];
}

const isQueue = (name: string): name is Queue => Object.hasOwn(QUEUES, name);

/** A worker that ends cancels its activities after this time. */
const GRACE_MS = 2_000;

/**
 * A worker that ends leaves activities that are still running after this time. A delivery that begins right before its
 * cancellation may take as long as its attempt, which would be ambiguous without its end, and its end has to be stored.
 */
const FORCE_MS: Record<Queue, number> = {
  control: 20_000,
  waiting: 20_000,
  supervision: 20_000,
  packaging: 20_000,
  notification: GRACE_MS + ATTEMPT_MS + 4_000,
};

/**
 * At most how often a heartbeat is sent. A cancellation reaches an activity with its next heartbeat: within 2 s a person
 * sees it. No workflow waits for the end of a supervision, which lasts as long as its deployment: a thousand of them
 * must not keep Temporal busy.
 */
const HEARTBEAT_MS: Record<Queue, number> = {
  control: 2_000,
  waiting: 2_000,
  supervision: 40_000,
  packaging: 2_000,
  notification: 2_000,
};

type WorkerSettings = Pick<
  Settings,
  | 'TEMPORAL_NAMESPACE'
  | 'TEMPORAL_ENCRYPT_PAYLOADS'
  | 'SLIPWAY_SECRET_KEY'
  | 'SLIPWAY_OLD_SECRET_KEYS'
  | 'SLIPWAY_SLOTS'
  | 'SLIPWAY_TARGET_USAGE'
  | 'SLIPWAY_POLLERS'
  | 'SLIPWAY_WORKFLOW_CACHE'
>;

interface Parts {
  settings: WorkerSettings;
  activities: object;
  codePath: string;
  connection: NativeConnection;
  deployment: WorkerDeploymentOptions;
}

export function workerOptions(
  queue: Queue,
  { settings, activities, codePath, connection, deployment }: Parts,
): WorkerOptions {
  const { workflows } = QUEUES[queue];
  return {
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    taskQueue: queue,
    dataConverter: dataConverterOf(settings),
    workerDeploymentOptions: deployment,
    activities,
    ...(workflows ? { workflowBundle: { codePath }, ...workflowOptions(settings) } : {}),
    ...slotOptions(queue, settings),
    maxHeartbeatThrottleInterval: HEARTBEAT_MS[queue],
    shutdownGraceTime: GRACE_MS,
    shutdownForceTime: FORCE_MS[queue],
    interceptors: { activity: [() => ({ inbound: createFailureInterceptor() })] },
  };
}

/** Not `maxConcurrentActivityTaskPolls` and its like, which SDK 1.24 reads nowhere. */
const pollsOf = (maximum: number) => ({ type: 'simple-maximum', maximum }) as const;

/** The workflow tasks that the SDK lets a worker process at once; it may have no more polls. */
const WORKFLOW_TASKS = 40;

function workflowOptions({ SLIPWAY_POLLERS: pollers, SLIPWAY_WORKFLOW_CACHE: cache }: WorkerSettings) {
  return {
    workflowTaskPollerBehavior: pollsOf(Math.min(pollers, WORKFLOW_TASKS)),
    ...(cache === undefined ? {} : { maxCachedWorkflows: cache }),
  };
}

/** An activity of packaging shows its load late: the next one waits for it. */
const RAMP = '5s';

/** The activities of a queue that a worker runs at once. */
export const slotsOf = (queue: Queue, { SLIPWAY_SLOTS }: Pick<Settings, 'SLIPWAY_SLOTS'>): number =>
  SLIPWAY_SLOTS[queue] ?? QUEUES[queue].maxConcurrentActivities;

function slotOptions(queue: Queue, settings: WorkerSettings): Partial<WorkerOptions> {
  const { SLIPWAY_TARGET_USAGE: target, SLIPWAY_POLLERS } = settings;
  const slots = slotsOf(queue, settings);
  const polls = { activityTaskPollerBehavior: pollsOf(Math.min(SLIPWAY_POLLERS, slots)) };
  // Activities of the other queues mostly wait: a busy machine must not keep a deployment from its supervision.
  if (target === undefined || queue !== 'packaging') return { maxConcurrentActivityTaskExecutions: slots, ...polls };
  return {
    ...polls,
    tuner: {
      tunerOptions: { targetMemoryUsage: target, targetCpuUsage: target },
      activityTaskSlotOptions: { minimumSlots: 1, maximumSlots: slots, rampThrottle: RAMP },
    },
  };
}
