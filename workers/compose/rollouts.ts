import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { RolloutRequest, Rollouts } from '../../lifecycle/kinds/rollout.js';
import { SlipwayError, unavailable } from '../../platform/kinds/errors.js';
import { rolloutWorkflowId } from '../../platform/kinds/ids.js';

const DEADLINE_MS = 5_000;

/** Requests as Temporal signals: one that was taken is not lost. */
export function createRollouts({ client }: { client: Client }): Rollouts {
  return {
    async request(action, { id, generation }, by) {
      const handle = client.workflow.getHandle(rolloutWorkflowId(id));
      const signal = () => handle.signal<[RolloutRequest]>(action, { generation, by });
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, signal).catch((cause: unknown) => {
        if (cause instanceof WorkflowNotFoundError) {
          throw new SlipwayError('not_waiting', `no rollout of deployment "${id}" is going on`, { cause });
        }
        throw unavailable('the request may or may not have been taken', cause);
      });
    },
  };
}
