import { heartbeat } from '@temporalio/activity';
import { type ImportRuns, isOver } from '../../reference/dataset/import.js';
import type { Imports } from '../../reference/stores/imports.js';

export interface ImportSweepDeps {
  imports: Imports;
  importRuns: Pick<ImportRuns, 'start'>;
  isImportOpen: (importId: string) => Promise<boolean>;
  now?: () => Date;
}

/** An upload without additions for this long is abandoned. */
const ABANDONED_MS = 24 * 3_600_000;

/** Starts the missing runs of queued imports, and cancels abandoned uploads. */
export async function sweepImports(deps: ImportSweepDeps): Promise<{ started: number; canceled: number }> {
  const { imports, importRuns, isImportOpen, now = () => new Date() } = deps;
  const swept = { started: 0, canceled: 0 };

  const isAbandoned = async (id: string, createdAt: string): Promise<boolean> => {
    const limit = now().getTime() - ABANDONED_MS;
    return Date.parse(createdAt) < limit && Date.parse((await imports.lastUploadAt(id)) ?? createdAt) < limit;
  };

  async function look(id: string): Promise<void> {
    const given = await imports.get(id);
    if (isOver(given)) await imports.settled(id);
    else if (given.state === 'uploading') {
      if (!(await isAbandoned(id, given.created_at))) return;
      // Its bytes are removed by the next sweep: a concurrent commit must not find half of them.
      const message = 'nothing was uploaded for 24 hours';
      await imports.put({ ...given, state: 'canceled', message, ended_at: now().toISOString() });
      swept.canceled += 1;
    } else if (!(await isImportOpen(id)) && !isOver(await imports.get(id))) {
      // It is read once more: a run records the end of its import before it ends itself.
      await importRuns.start(id);
      swept.started += 1;
    }
  }

  const failures: unknown[] = [];
  for (const id of await imports.open()) {
    heartbeat();
    // A failure must not delay the other imports.
    await look(id).catch((err: unknown) => failures.push(err));
  }
  if (failures.length > 0) throw failures[0];
  return swept;
}
