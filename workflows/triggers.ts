import { proxyActivities } from '@temporalio/workflow';
import type { TriggerActivities } from '../activities/pipeline/trigger-checks.js';
import type { RoundResult } from '../platform/kinds/round.js';
import { phase } from './phases.js';
import { runRound } from './rounds.js';

const { checkTriggers } = proxyActivities<TriggerActivities>(
  phase('trigger', 'start pipelines whose feedback, drift or data calls for a run'),
);

/** One round of the schedule `sweep/triggers`. */
export async function triggers(): Promise<RoundResult> {
  return runRound(checkTriggers);
}
