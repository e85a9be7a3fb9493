import type { ActivityOptions } from '@temporalio/workflow';
import type { Queue } from '../platform/kinds/queues.js';

/** The options of all steps of all lifecycles. Time is the limit, not attempts: a worker's restart uses one up. */
// prettier-ignore
const PHASES = {
  record:    { taskQueue: 'control',   startToCloseTimeout: '10s', scheduleToCloseTimeout: '24h', cancellationType: 'TRY_CANCEL' },
  change:    { taskQueue: 'control',   startToCloseTimeout: '30s', scheduleToCloseTimeout: '24h' }, // runs to its end, also when the run is canceled
  fetch:     { taskQueue: 'waiting',   startToCloseTimeout: '1h',  scheduleToCloseTimeout: '4h',  heartbeatTimeout: '10s' }, // from servers that may hang: no slot of `packaging`
  prepare:   { taskQueue: 'packaging', startToCloseTimeout: '1h',  scheduleToCloseTimeout: '4h',  heartbeatTimeout: '10s' },
  await:     { taskQueue: 'waiting',   startToCloseTimeout: '26h', scheduleToCloseTimeout: '52h', heartbeatTimeout: '10s' },
  package:   { taskQueue: 'packaging', startToCloseTimeout: '1h',  scheduleToCloseTimeout: '4h',  heartbeatTimeout: '10s' },
  start:     { taskQueue: 'waiting',   startToCloseTimeout: '20m', scheduleToCloseTimeout: '4h',  heartbeatTimeout: '10s' },
  supervise: { taskQueue: 'waiting',   startToCloseTimeout: '24h', heartbeatTimeout: '10s' }, // as long as the deployment; a new attempt each day
  retire:    { taskQueue: 'control',   startToCloseTimeout: '2m',  scheduleToCloseTimeout: '4h',  heartbeatTimeout: '10s' },
  import:    { taskQueue: 'control',   startToCloseTimeout: '2m',  scheduleToCloseTimeout: '4h',  heartbeatTimeout: '10s' }, // first and last step of an import; `await` has its rows
  notify:    { taskQueue: 'control',   startToCloseTimeout: '15s', scheduleToCloseTimeout: '5m' },
  drain:     { taskQueue: 'notification', startToCloseTimeout: '15m', scheduleToCloseTimeout: '1h', heartbeatTimeout: '8s',  retry: { initialInterval: '1s', maximumInterval: '2s' } }, // killed ten times, it still goes on within seconds; its workflow repeats it
  evaluate:  { taskQueue: 'notification', startToCloseTimeout: '24h', heartbeatTimeout: '8s', retry: { initialInterval: '1s', maximumInterval: '2s' } }, // as long as there is a watch; a new attempt each day
  sweep:     { taskQueue: 'control',   startToCloseTimeout: '5m',  scheduleToCloseTimeout: '5m',  heartbeatTimeout: '30s' },
  trigger:   { taskQueue: 'control',   startToCloseTimeout: '5m',  scheduleToCloseTimeout: '5m',  heartbeatTimeout: '30s' },
  upkeep:    { taskQueue: 'control',   startToCloseTimeout: '30m', scheduleToCloseTimeout: '1h',  heartbeatTimeout: '30s' },
  undo:      { taskQueue: 'control',   startToCloseTimeout: '1m',  scheduleToCloseTimeout: '4h' },
} as const satisfies Record<string, ActivityOptions & { taskQueue: Queue }>;

/** Returns the options of one phase; the Web UI shows `summary`. */
export function phase(name: keyof typeof PHASES, summary?: string): ActivityOptions {
  return {
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    ...PHASES[name],
    ...(summary === undefined ? {} : { summary }),
  };
}
