import { validateState } from '../../reference/dataset/validators.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type DatasetImport, type ImportRef, type ImportState, isOver } from '../../reference/dataset/import.js';
import { whileBeating } from '../shared/heartbeat.js';
import { type ImportContext, openDatasets, toRunFailure } from './import-context.js';
import { createFaultLimit } from './import-faults.js';
import { importRows } from './import-rows.js';
import { removeAbsent } from './import-removal.js';

export type ImportDeps = Pick<ImportContext, 'imports' | 'datasets' | 'writes'> & Partial<ImportContext>;
export type ImportActivities = ReturnType<typeof createImportActivities>;
interface ImportEnd extends ImportRef {
  state: 'failed' | 'canceled';
  message: string;
}

const BLOCK_ROWS = 2_000;
/** Small enough that its rows are collected as young garbage. */
const BLOCK_BYTES = 512 * 1_024;

/**
 * Creates the steps of an import. Each may be repeated at any point: a row that was written already has equal content,
 * and its change record names this import as its writer.
 */
export function createImportActivities(deps: ImportDeps) {
  const { now = () => new Date(), blockRows = BLOCK_ROWS, blockBytes = BLOCK_BYTES } = deps;
  const context: ImportContext = { ...deps, now, blockRows, blockBytes };
  const limitFaults = createFaultLimit(context);
  return {
    beginImport: limitFaults((ref: ImportRef) => beginImport(context, ref)),
    importRows: limitFaults((ref: ImportRef) => importRows(context, ref)),
    removeAbsent: limitFaults((ref: ImportRef) => removeAbsent(context, ref)),
    finishImport: limitFaults((ref: ImportRef) => finishImport(context, ref)),
    failImport: (end: ImportEnd) => failImport(context, end),
  };
}

/** Starts an import; holds the dataset if its changes are announced at the end. */
async function beginImport(context: ImportContext, { importId }: ImportRef): Promise<{ replaces: boolean }> {
  const { imports, now } = context;
  const given = await imports.get(importId);
  if (isOver(given)) throw new SlipwayError('import.state', `the import is ${given.state}`);
  const { dataset } = await openDatasets(context, given);
  const { announce, dry_run, mode } = given.options;
  if (announce === 'at_end' && !dry_run) {
    await dataset.follower.append(() => {
      const { heldBy } = dataset.replica;
      if (heldBy === importId) return undefined;
      if (heldBy !== undefined) throw new SlipwayError('import.running', `import ${heldBy} holds ${given.dataset}`);
      return { kind: 'hold', import: importId };
    });
  }
  if (given.state === 'queued') {
    const started_at = now().toISOString();
    await imports.put({ ...given, state: 'running', started_at, version_from: dataset.replica.newest });
  }
  return { replaces: mode === 'replace' };
}

/** Ends an import; changes that were held back are announced only if the dataset's validators accept the new state. */
async function finishImport(context: ImportContext, { importId }: ImportRef): Promise<void> {
  const given = await context.imports.get(importId);
  if (isOver(given)) return;
  if (given.options.announce === 'at_end' && !given.options.dry_run) await validate(context, given);
  await end(context, given, 'succeeded');
}

/** Ends a failed or canceled import; its changes remain unless they were to be announced at the end. */
async function failImport(context: ImportContext, { importId, state, message }: ImportEnd): Promise<void> {
  const given = await context.imports.get(importId);
  if (!isOver(given)) await end(context, given, state, message);
}

async function end(
  { imports, datasets, now }: ImportContext,
  given: DatasetImport,
  state: ImportState,
  message?: string,
): Promise<void> {
  const ready = await whileBeating(() => datasets.need(given.dataset)).catch((err: unknown) => {
    if (!(err instanceof SlipwayError) || err.code !== 'dataset.not_found') throw err; // it was dropped meanwhile
  });
  if (ready !== undefined) {
    const { replica, follower } = ready.dataset;
    const { id, blocked } = given;
    const discard = { kind: 'discard', import: id, ...(blocked !== undefined && { blocked }) } as const;
    const content = state === 'succeeded' ? ({ kind: 'release', import: id } as const) : discard;
    await follower.append(() => (replica.heldBy === id ? content : undefined));
  }
  // The upload is removed first: after the end of the import no process would remove it.
  await imports.discard(given.id);
  const ended = { ended_at: now().toISOString(), version_to: ready?.dataset.replica.newest };
  await imports.put({ ...given, ...ended, state, ...(message !== undefined && { message }) });
}

/** @throws run_failed with all problems of the new state */
async function validate(context: ImportContext, given: DatasetImport): Promise<void> {
  const { imports, datasets } = context;
  const { dataset, declaration } = await openDatasets(context, given);
  const { replica } = dataset;
  if (replica.heldBy !== given.id) return; // an earlier attempt released it
  const { spec } = declaration;
  const exists = (name: string, id: bigint): boolean => {
    const state = datasets.get(name).dataset.replica.latest(String(id));
    return state !== undefined && state.body !== null;
  };
  const state = { spec, before: replica.rows.live(), bodies: replica.upcoming(), exists };
  const problems = await whileBeating(() => validateState(state));
  if (problems.length === 0) return;
  await imports.put({ ...given, blocked: problems.join('; ') });
  throw toRunFailure(new SlipwayError('import.rows', `the new state is not served: ${problems.join('; ')}`));
}
