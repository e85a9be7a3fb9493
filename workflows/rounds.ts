import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { joinResults, type RoundPosition, type RoundResult } from '../platform/kinds/round.js';

/** Runs the turns of a round until it is complete. @throws when items of a part could not be read */
export async function runRound(turn: (from?: RoundPosition) => Promise<RoundResult>): Promise<RoundResult> {
  let result = await turn();
  // A round that is too long for one history ends early; the next one begins at its first item.
  while (result.next !== undefined && !workflowInfo().continueAsNewSuggested) {
    result = joinResults(result, await turn(result.next));
  }
  if (result.failed !== undefined)
    throw ApplicationFailure.nonRetryable(result.failed.join('; '), 'unavailable', result);
  return result;
}
