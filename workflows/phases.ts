import type { ActivityOptions } from '@temporalio/workflow';
import type { Queue } from '../platform/kinds/queues.js';
import { LONGEST_PAUSE_MS, MOST_ATTEMPTS, MOST_ATTEMPTS_OF_RECORDS } from '../platform/kinds/retries.js';

const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: LONGEST_PAUSE_MS } as const;
const RECORDS = { ...RETRY, maximumAttempts: MOST_ATTEMPTS_OF_RECORDS };
/** The end of a run and the deletion of a deployment wait for these; what cannot be removed is left to the sweep. */
const REMOVALS = { ...RETRY, maximumAttempts: 8 };

/** The options of all steps of all lifecycles. */
// prettier-ignore
const PHASES = {
  record:    { taskQueue: 'control',   startToCloseTimeout: '10s', cancellationType: 'TRY_CANCEL', retry: RECORDS },
  change:    { taskQueue: 'control',   startToCloseTimeout: '30s', retry: RECORDS }, // runs to its end, also when the run is canceled
  fetch:     { taskQueue: 'waiting',   startToCloseTimeout: '1h', heartbeatTimeout: '10s' }, // from and to servers that may hang: no slot of `packaging`
  prepare:   { taskQueue: 'packaging', startToCloseTimeout: '1h', heartbeatTimeout: '10s' },
  await:     { taskQueue: 'waiting',   startToCloseTimeout: '26h', heartbeatTimeout: '10s' },
  package:   { taskQueue: 'packaging', startToCloseTimeout: '1h', heartbeatTimeout: '10s' },
  start:     { taskQueue: 'waiting',   startToCloseTimeout: '20m', heartbeatTimeout: '10s' },
  supervise: { taskQueue: 'supervision', startToCloseTimeout: '24h', heartbeatTimeout: '60s', cancellationType: 'TRY_CANCEL', retry: RETRY }, // as long as the deployment; a new attempt each day. Heartbeats are rare, so nothing waits for its end
  bake:      { taskQueue: 'supervision', startToCloseTimeout: '24h', heartbeatTimeout: '10s', cancellationType: 'TRY_CANCEL', retry: RETRY }, // as `supervise`, but a worker that ended is noticed soon
  retire:    { taskQueue: 'control',   startToCloseTimeout: '12m', heartbeatTimeout: '10s', retry: REMOVALS }, // until the last call at the replicas has ended
  import:    { taskQueue: 'control',   startToCloseTimeout: '2m', heartbeatTimeout: '10s' }, // first and last step of an import; `await` has its rows
  notify:    { taskQueue: 'control',   startToCloseTimeout: '15s', scheduleToCloseTimeout: '5m' },
  drain:     { taskQueue: 'notification', startToCloseTimeout: '15m', heartbeatTimeout: '8s', retry: { initialInterval: '1s', maximumInterval: '2s', maximumAttempts: 1_500 } }, // killed ten times, it still goes on within seconds; its workflow repeats it
  evaluate:  { taskQueue: 'notification', startToCloseTimeout: '24h', heartbeatTimeout: '8s', retry: { initialInterval: '1s', maximumInterval: '2s' } }, // as long as there is a watch; a new attempt each day
  sweep:     { taskQueue: 'control',   startToCloseTimeout: '5m',  scheduleToCloseTimeout: '5m',  heartbeatTimeout: '30s' },
  trigger:   { taskQueue: 'control',   startToCloseTimeout: '5m',  scheduleToCloseTimeout: '5m',  heartbeatTimeout: '30s' },
  upkeep:    { taskQueue: 'control',   startToCloseTimeout: '30m', scheduleToCloseTimeout: '1h',  heartbeatTimeout: '30s' },
  undo:      { taskQueue: 'control',   startToCloseTimeout: '1m' },
  remove:    { taskQueue: 'control',   startToCloseTimeout: '2m', retry: REMOVALS },
} as const satisfies Record<string, ActivityOptions & { taskQueue: Queue }>;

/** Returns the options of one phase; the Web UI shows `summary`. */
export function phase(name: keyof typeof PHASES, summary?: string): ActivityOptions {
  return {
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { ...RETRY, maximumAttempts: MOST_ATTEMPTS },
    ...PHASES[name],
    ...(summary === undefined ? {} : { summary }),
  };
}
