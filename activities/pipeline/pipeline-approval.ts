import type { Approval, PipelineStep } from '../../lifecycle/kinds/pipeline-run.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isSameJson } from '../../platform/kinds/generation.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { noteStep, type PipelineStepDeps } from './pipeline-steps.js';

export const createPipelineApprovalActivities = (deps: PipelineStepDeps) => ({
  async beginPipelineApproval(ref: RunRef): Promise<void> {
    await noteStep(deps, ref, 'approval', { state: 'waiting' });
  },

  /** A decision is kept before the person who made it hears of it. */
  async recordPipelineApproval({ ref, approval }: { ref: RunRef; approval: Approval }): Promise<void> {
    const { status } = await noteStep(deps, ref, 'approval', endOfApproval(approval), { approval });
    // A run that has ended keeps nothing.
    if (!isSameJson(status.approval, approval)) {
      throw new SlipwayError('not_waiting', `run ${ref.id} has ended before the decision was kept`);
    }
  },
});

/** The end of the step "approval" by its decision. */
export function endOfApproval({ decision, by, reason }: Approval): Partial<PipelineStep> {
  if (decision === 'approved') return { state: 'succeeded' };
  return { state: 'failed', reason: 'Rejected', message: `rejected by ${by}: ${reason}` };
}
