import { ApplicationFailure, executeChild } from '@temporalio/workflow';
import { rolloutWorkflowId, runMemo } from '../platform/kinds/ids.js';
import type { RolloutInput, rollout } from './rollout.js';
import { SEARCH_ATTRIBUTES } from './search-attributes.js';

/**
 * Rolls a candidate out in a run of its own, which ends with its parent. Its end says which revision has the traffic.
 * @throws a failure of type `run_failed`, reason RolledBack
 */
export async function rollOut(input: RolloutInput): Promise<void> {
  const { ref } = input.candidate;
  const end = await executeChild<typeof rollout>('rollout', {
    args: [input],
    workflowId: rolloutWorkflowId(ref.id),
    taskQueue: 'control',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    parentClosePolicy: 'REQUEST_CANCEL',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    staticSummary: `rollout of deployment ${ref.id}, generation ${ref.generation}`,
    memo: runMemo(ref),
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.resourceKind, value: 'deployment' },
      { key: SEARCH_ATTRIBUTES.resourceId, value: ref.id },
    ],
  });
  if (end.outcome === 'promoted') return;
  throw rolledBack(end.message);
}

/** The failure of a revision whose calls went back to the one before. */
export function rolledBack(message: string): ApplicationFailure {
  const failure = { reason: 'RolledBack', message };
  return ApplicationFailure.create({ type: 'run_failed', message, nonRetryable: true, details: [failure] });
}
