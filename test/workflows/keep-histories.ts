import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** Writes histories to files of a folder, without what names this machine. */
export async function keepHistories(client: Client, folder: string) {
  await mkdir(folder, { recursive: true });
  return async (name: string, workflow: string, runId?: string): Promise<void> => {
    const history = await client.workflow.getHandle(workflow, runId).fetchHistory();
    // Traces name folders of this machine.
    const text = JSON.stringify(JSON.parse(historyToJSON(history)), (key, value: unknown) =>
      key === 'stackTrace' ? undefined : value,
    );
    await writeFile(join(folder, `${name}.json`), `${text}\n`);
  };
}
