import type { Done, LoopItem } from '../../platform/kinds/loop-items.js';
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
export function createImportSweep(deps: ImportSweepDeps): () => AsyncGenerator<LoopItem> {
  const { imports, importRuns, isImportOpen, now = () => new Date() } = deps;

  const isAbandoned = async (id: string, createdAt: string): Promise<boolean> => {
    const limit = now().getTime() - ABANDONED_MS;
    return Date.parse(createdAt) < limit && Date.parse((await imports.lastUploadAt(id)) ?? createdAt) < limit;
  };

  async function repair(id: string): Promise<Done> {
    const given = await imports.get(id);
    if (isOver(given)) await imports.settled(id);
    else if (given.state === 'uploading') {
      if (!(await isAbandoned(id, given.created_at))) return undefined;
      // Its bytes are removed by the next sweep: a concurrent commit must not find half of them.
      const message = 'nothing was uploaded for 24 hours';
      await imports.put({ ...given, state: 'canceled', message, ended_at: now().toISOString() });
      return { imports_canceled: 1 };
    } else if (!(await isImportOpen(id)) && !isOver(await imports.get(id))) {
      // It is read once more: a run records the end of its import before it ends itself.
      await importRuns.start(given);
      return { imports_started: 1 };
    }
    return undefined;
  }

  return async function* () {
    for (const id of await imports.open()) yield { name: id, act: () => repair(id) };
  };
}
