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
