import { proxyActivities } from '@temporalio/workflow';
import type { SweepActivities, Swept } from '../activities/shared/sweep.js';
import { phase } from './phases.js';

const { sweep: sweepOnce } = proxyActivities<SweepActivities>(
  phase('sweep', 'start missed runs, deliver missed cancellations'),
);

/** One turn of the schedule `sweep/starts`. */
export async function sweep(): Promise<Swept> {
  return sweepOnce();
}
