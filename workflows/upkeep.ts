import { proxyActivities } from '@temporalio/workflow';
import type { UpkeepActivities } from '../activities/shared/upkeep.js';
import type { RoundResult } from '../platform/kinds/round.js';
import { phase } from './phases.js';
import { runRound } from './rounds.js';

const { upkeep: upkeepTurn } = proxyActivities<UpkeepActivities>(
  phase('upkeep', 'remove what is past its retention time'),
);

/** One round of the schedule `sweep/upkeep`. */
export async function upkeep(): Promise<RoundResult> {
  return runRound(upkeepTurn);
}
