import type { PipelineSpec } from './pipeline.js';
import type { Approval, PipelineRun } from './pipeline-run.js';

/** Brings a person's decision to the run that waits for it. */
export interface Approvals {
  /**
   * @param run as its author saw it: a decision is on one generation
   * @param key makes a repeated call the same decision
   * @throws not_waiting when the run does not wait, or was decided already; unavailable
   */
  decide(run: PipelineRun, approval: Approval, key: string): Promise<void>;
}

/**
 * Whether a run waits for a person. Pipelines that were stored before an approval was on by being given have `required:
 * false` beside their roles: they wait too.
 */
export const asksForApproval = ({ required, roles }: Pick<PipelineSpec['gates']['approval'], 'required' | 'roles'>) =>
  required || roles.length > 0;
