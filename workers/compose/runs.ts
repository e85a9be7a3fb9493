import { isDeepStrictEqual } from 'node:util';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import { toRef } from '../../platform/kinds/generation.js';
import { earlierWorkflowId, type RunKind, type RunRef, runMemo, workflowId } from '../../platform/kinds/ids.js';
import type { Runs } from '../../platform/kinds/runs.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';
import { priorityOf } from './fairness.js';

/** No request waits longer for Temporal; the sweep takes care of the rest. */
const DEADLINE_MS = 3_000;

/** Runs as Temporal workflows: one workflow per resource, which gets each generation by a signal. */
export function createRuns({ client, log }: { client: Client; log: Pick<Logger, 'warn'> }): Runs {
  const attempt = async (what: string, ref: RunRef, call: () => Promise<unknown>): Promise<void> => {
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, call).catch((err: unknown) => {
      if (err instanceof WorkflowNotFoundError) return;
      log.warn({ err, ref }, `${what} is left to the sweep`);
    });
  };

  return {
    async changed(kind, resource) {
      const ref = toRef(resource);
      await attempt(`the start of ${kind} ${ref.id}`, ref, async () =>
        // Signal and start in one call: an open run hears of the new generation, a closed one is followed by a new run.
        client.workflow.signalWithStart(kind, {
          workflowId: await findWorkflowId(client, kind, ref.id),
          taskQueue: 'control',
          args: [kind === 'deployment' ? { ref } : ref],
          signal: 'changed',
          signalArgs: [ref],
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: `${kind} ${ref.id}, generation ${ref.generation}`,
          priority: priorityOf(resource),
          memo: runMemo(ref),
          typedSearchAttributes: [
            { key: SEARCH_ATTRIBUTES.resourceKind, value: kind },
            { key: SEARCH_ATTRIBUTES.resourceId, value: ref.id },
          ],
        }),
      );
    },

    async cancel(kind, ref) {
      await attempt(`the cancellation of ${kind} ${ref.id}`, ref, async () => {
        const workflow = await findWorkflowId(client, kind, ref.id);
        const { runId, memo } = await client.workflow.getHandle(workflow).describe();
        // A run is one generation. One of another generation is not meant; a newer one of ours hears it from the document.
        if (isDeepStrictEqual(memo, runMemo(ref))) await client.workflow.getHandle(workflow, runId).cancel();
      });
    },
  };
}

/** Whether the workflow of a resource is open. */
export const isRunOpen = async (client: Client, kind: RunKind, id: string): Promise<boolean> =>
  isWorkflowOpen(client, await findWorkflowId(client, kind, id));

/** The id of the workflow of a resource; an open one of an earlier release has another. */
export async function findWorkflowId(client: Client, kind: RunKind, id: string): Promise<string> {
  const [current, earlier] = [workflowId(kind, id), earlierWorkflowId(kind, id)];
  return earlier !== current && (await isWorkflowOpen(client, earlier)) ? earlier : current;
}

export async function isWorkflowOpen(client: Client, id: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(id).describe();
    return status.name === 'RUNNING';
  } catch (err) {
    if (err instanceof WorkflowNotFoundError) return false;
    throw err;
  }
}
