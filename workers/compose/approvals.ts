import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { SlipwayError, unavailable } from '../../platform/kinds/errors.js';
import type { Approvals } from '../../lifecycle/kinds/approvals.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { Decision } from '../../workflows/approval.js';
import { findWorkflowId } from './runs.js';

/** An update is answered by a worker, after it has written the decision down. */
const DEADLINE_MS = 10_000;

/** Decisions as Temporal updates of the run's workflow. */
export function createApprovals({ client }: { client: Client }): Approvals {
  return {
    async decide(run, approval, key) {
      const args: [Decision] = [{ approval, generation: run.generation }];
      const update = async () => {
        const handle = client.workflow.getHandle(await findWorkflowId(client, 'pipeline', run.id));
        await handle.executeUpdate<void, [Decision]>('decide', { args, updateId: key });
      };
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, update).catch((err: unknown) => {
        throw refusalOf(err, run);
      });
    },
  };
}

function refusalOf(err: unknown, { id, status }: PipelineRun): SlipwayError {
  if (err instanceof WorkflowNotFoundError) {
    const ended = isFinal(status.state) ? `has already ended (${status.state})` : 'has ended, or has not begun';
    return new SlipwayError('not_waiting', `run ${id} ${ended}`, { cause: err });
  }
  if (err instanceof WorkflowUpdateFailedError) {
    const cause = err.cause instanceof ActivityFailure ? err.cause.cause : err.cause;
    if (cause instanceof CancelledFailure) {
      return new SlipwayError('not_waiting', `run ${id} was canceled before it was decided`, { cause: err });
    }
    if (cause instanceof ApplicationFailure && REFUSALS.includes(cause.type ?? '')) {
      return new SlipwayError('not_waiting', cause.message, { cause: err });
    }
  }
  return unavailable('the decision may or may not have been taken', err);
}

/** The answer of the workflow, and of the store for a run that has ended or was tried again. */
const REFUSALS = ['not_waiting', 'stale_generation'];
