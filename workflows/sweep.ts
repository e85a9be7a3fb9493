import { proxyActivities } from '@temporalio/workflow';
import type { SweepActivities, Swept } from '../activities/shared/sweep.js';
import { phase } from './phases.js';

const { sweep: sweepOnce } = proxyActivities<SweepActivities>(
  phase('sweep', 'start what did not start, cancel what was not told'),
);

/** One turn of the schedule `sweep/starts`. */
export async function sweep(): Promise<Swept> {
  return sweepOnce();
}
