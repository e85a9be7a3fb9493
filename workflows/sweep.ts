import { proxyActivities } from '@temporalio/workflow';
import type { SweepActivities } from '../activities/shared/sweep.js';
import type { RoundResult } from '../platform/kinds/round.js';
import { phase } from './phases.js';
import { runRound } from './rounds.js';

const { sweep: sweepTurn } = proxyActivities<SweepActivities>(
  phase('sweep', 'start missed runs, deliver missed cancellations'),
);

/** One round of the schedule `sweep/starts`: repairs the gaps between stored resources and what runs. */
export async function sweep(): Promise<RoundResult> {
  return runRound(sweepTurn);
}
