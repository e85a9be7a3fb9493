import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { createFailureInterceptor } from '../../activities/shared/interceptor.js';
import type { Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Queue, QUEUES } from '../../platform/kinds/queues.js';

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

interface Parts {
  settings: Pick<Settings, 'TEMPORAL_NAMESPACE'>;
  activities: object;
  codePath: string;
  connection: NativeConnection;
}

export function workerOptions(queue: Queue, { settings, activities, codePath, connection }: Parts): WorkerOptions {
  const { workflows, maxConcurrentActivities } = QUEUES[queue];
  return {
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    taskQueue: queue,
    activities,
    ...(workflows ? { workflowBundle: { codePath } } : {}),
    maxConcurrentActivityTaskExecutions: maxConcurrentActivities,
    // A cancellation reaches an activity with its next heartbeat: within 2 s a person sees it.
    maxHeartbeatThrottleInterval: '2s',
    shutdownGraceTime: '2s',
    shutdownForceTime: '20s',
    interceptors: { activity: [() => ({ inbound: createFailureInterceptor() })] },
  };
}
