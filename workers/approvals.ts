import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { SlipwayError } from '../resources/errors.js';
import type { Approvals } from '../resources/approvals.js';
import { workflowId } from '../resources/ids.js';

/** An update is answered by a worker, after it has written the decision down. */
const DEADLINE_MS = 10_000;

/** Decisions as Temporal updates of the run's workflow. */
export function createApprovals({ client }: { client: Client }): Approvals {
  return {
    async decide(run, approval, key) {
      const handle = client.workflow.getHandle(workflowId('pipeline', run.id));
      const update = () => handle.executeUpdate('decide', { args: [approval], updateId: key });
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, update).catch((err: unknown) => {
        if (err instanceof WorkflowUpdateFailedError && err.cause instanceof ApplicationFailure) {
          throw new SlipwayError('not_waiting', err.cause.message, { cause: err });
        }
        if (err instanceof WorkflowNotFoundError) {
          throw new SlipwayError('not_waiting', `run ${run.id} is not going on`, { cause: err });
        }
        throw new SlipwayError('unavailable', 'the decision may or may not have been taken', { cause: err });
      });
    },
  };
}
