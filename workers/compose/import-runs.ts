import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { unavailable } from '../../platform/kinds/errors.js';
import { type ImportRuns, importWorkflowId } from '../../reference/dataset/import.js';
import { priorityOf } from './fairness.js';
import { isWorkflowOpen } from './runs.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';

const DEADLINE_MS = 3_000;

/** Runs of imports as Temporal workflows, one for each import. */
export function createImportRuns({ client }: { client: Client }): ImportRuns {
  const reach = async (call: () => Promise<unknown>): Promise<void> => {
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, call).catch((cause: unknown) => {
      if (cause instanceof WorkflowNotFoundError) return; // it has ended
      throw unavailable('Temporal does not answer', cause);
    });
  };
  return {
    start: ({ id, actor }) =>
      reach(() =>
        client.workflow.start('datasetImport', {
          workflowId: importWorkflowId(id),
          taskQueue: 'control',
          args: [{ importId: id }],
          priority: priorityOf({ createdBy: actor }),
          // Started already: nothing to do.
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `import ${id}`,
          typedSearchAttributes: [
            { key: SEARCH_ATTRIBUTES.resourceKind, value: 'import' },
            { key: SEARCH_ATTRIBUTES.resourceId, value: id },
          ],
        }),
      ),
    cancel: (importId) => reach(() => client.workflow.getHandle(importWorkflowId(importId)).cancel()),
  };
}

/** Whether the import has a run that goes on. */
export const isImportOpen = (client: Client, importId: string): Promise<boolean> =>
  isWorkflowOpen(client, importWorkflowId(importId));
