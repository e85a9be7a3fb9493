import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { sharedWorkflowBundle } from '../stack/workflow-bundle.js';

/** Writes the workflows as they are, without the sources that their bundle carries. */
export async function keepWorkflows(folder: string): Promise<void> {
  const code = await readFile(await sharedWorkflowBundle(), 'utf8');
  const [head = ''] = /\/\/# sourceMappingURL=data:[^,]*,/.exec(code) ?? [];
  const noSources = { version: 3, file: 'workflows.js', sources: [], sourcesContent: [], names: [], mappings: '' };
  const map = Buffer.from(JSON.stringify(noSources)).toString('base64');
  const bare = code.slice(0, code.lastIndexOf(head)).replaceAll(`${process.cwd()}/`, './');
  await writeFile(join(folder, 'workflows.js.gz'), gzipSync(`${bare}${head}${map}`, { level: 9 }));
}

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
