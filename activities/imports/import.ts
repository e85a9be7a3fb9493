import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { type ImportRow, readRows } from '../../reference/rows/import-rows.js';
import { referenceLeavesOf } from '../../reference/dataset/references.js';
import { createIdList, type IdList } from '../../reference/rows/id-list.js';
import { dropProblem, validateState } from '../../reference/dataset/validators.js';
import type { Replica } from '../../reference/dataset/replica.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { type DatasetImport, type ImportRef, type ImportState, isOver } from '../../reference/dataset/import.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import type { RowWrites } from '../../reference/stores/row-writes.js';
import type { Imports } from '../../reference/stores/imports.js';
import { whileBeating } from '../shared/heartbeat.js';
import { createAddBlock, idOf } from './import-block.js';
import { createFaultLimit } from './import-faults.js';

export interface ImportDeps {
  imports: Imports;
  datasets: Datasets;
  writes: RowWrites;
  now?: () => Date;
  /** Rows that are written together; what was done is stored after each block. */
  blockRows?: number;
  /** Fewer rows are, where they are this long together. */
  blockBytes?: number;
}

export type ImportActivities = ReturnType<typeof createImportActivities>;

const BLOCK_ROWS = 2_000;
/** Small enough that its rows die young: the collector of what lives longer is in no hurry. */
const BLOCK_BYTES = 512 * 1_024;

/**
 * The steps of an import. Each may be repeated at any point: a row that was written already meets equal content, and
 * its change record says that it was this import that wrote it.
 */
export function createImportActivities(deps: ImportDeps) {
  const { imports, datasets, writes, now = () => new Date(), blockRows = BLOCK_ROWS, blockBytes = BLOCK_BYTES } = deps;
  const addBlock = createAddBlock(deps);

  /** The dataset, and those that its rows refer to: loading them may take a while. */
  const open = ({ dataset: name }: DatasetImport): Promise<ReadyDataset> =>
    whileBeating(async () => {
      const ready = await datasets.need(name);
      for (const { dataset: target } of referenceLeavesOf(ready.declaration.spec)) {
        if (target !== undefined && target !== name) await datasets.need(target);
      }
      return ready;
    });

  async function end(given: DatasetImport, state: ImportState, message?: string): Promise<void> {
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
    // First what was uploaded: nobody would look for it after the end.
    await imports.discard(given.id);
    const ended = { ended_at: now().toISOString(), version_to: ready?.dataset.replica.newest };
    await imports.put({ ...given, ...ended, state, ...(message !== undefined && { message }) });
  }

  const limitFaults = createFaultLimit(deps);

  return {
    /** Takes it up, and holds the dataset where its changes are announced at the end. */
    beginImport: limitFaults(async ({ importId }): Promise<{ replaces: boolean }> => {
      const given = await imports.get(importId);
      if (isOver(given)) throw new SlipwayError('import.state', `the import is ${given.state}`);
      const { dataset } = await open(given);
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
    }),

    /** Reads every row and writes it, from where an earlier attempt stored that it was. */
    importRows: limitFaults(async ({ importId }): Promise<void> => {
      let given = await imports.get(importId);
      if (given.cursor.isRead) return;
      const { declaration } = await open(given);
      const { options, cursor } = given;
      const bytes = imports.read(importId, { start: cursor.offset, end: given.size_bytes });
      const rows = readRows({ format: options.format, spec: declaration.spec, bytes, cursor });
      let block: ImportRow[] = [];
      // What an attempt before this one wrote after it last stored its counts is in the first block.
      let isRepeated = activityInfo().attempt > 1;
      const store = async (): Promise<void> => {
        given = await addBlock(given, { rows: block, isRepeated });
        // An attempt that is taken for dead must not overwrite what the next one stored.
        cancellationSignal().throwIfAborted();
        await imports.put(given);
        isRepeated = false;
        block = [];
        refuseErrors(given);
        heartbeat(given.cursor.line);
      };
      try {
        for await (const row of rows) {
          block.push(row);
          const sizeBytes = row.cursor.offset - given.cursor.offset;
          if (block.length === blockRows || sizeBytes >= blockBytes) await store();
        }
        await store();
      } catch (err) {
        throw asFailure(err);
      }
      await imports.put({ ...given, cursor: { ...given.cursor, isRead: true } });
    }),

    /** Deletes what the upload does not have. */
    removeAbsent: limitFaults(async ({ importId }): Promise<void> => {
      let given = await imports.get(importId);
      if (given.cursor.isReplaced) return;
      const { dataset, declaration } = await open(given);
      const absent = absentFrom(dataset.replica, await idsIn(given, declaration.spec));
      // Counted once: what an attempt before this one deleted is not absent any more.
      const total = given.cursor.absent ?? absent.length;
      if (given.cursor.absent === undefined) {
        refuseDrop(given, { ready: { dataset, declaration }, absent: total });
        await refuseReferred(given, absent);
      }
      const count = (left: number) => ({ ...given.counts, deleted: total - left });
      given = { ...given, cursor: { ...given.cursor, absent: total }, counts: count(absent.length) };
      await imports.put(given);
      const write = { dataset: given.dataset, actor: given.actor, import: importId, key: `import/${importId}/absent` };
      const remove = async (id: bigint): Promise<void> => {
        await writes.remove({ ...write, id }).catch((err: unknown) => {
          if (!(err instanceof SlipwayError) || err.code !== 'entity.deleted') throw err; // somebody else was faster
        });
      };
      for (let from = 0; from < absent.length; from += blockRows) {
        const ids = absent.slice(from, from + blockRows);
        if (!given.options.dry_run) await Promise.all(ids.map(remove));
        given = { ...given, counts: count(absent.length - from - ids.length) };
        cancellationSignal().throwIfAborted();
        await imports.put(given);
        heartbeat(given.counts.deleted);
      }
      await imports.put({ ...given, cursor: { ...given.cursor, isReplaced: true } });
    }),

    /** Announces it, where nobody may see a part of it: only if the whole is as the dataset's validators want it. */
    finishImport: limitFaults(async ({ importId }): Promise<void> => {
      const given = await imports.get(importId);
      if (isOver(given)) return;
      if (given.options.announce === 'at_end' && !given.options.dry_run) await validate(given);
      await end(given, 'succeeded');
    }),

    /** What it wrote stays, unless readers were to see all of it at once or nothing. */
    async failImport({ importId, state, message }: ImportRef & { state: 'failed' | 'canceled'; message: string }) {
      const given = await imports.get(importId);
      if (!isOver(given)) await end(given, state, message);
    },
  };

  /** @throws run_failed with all that is against the new state */
  async function validate(given: DatasetImport): Promise<void> {
    const { dataset, declaration } = await open(given);
    const { replica } = dataset;
    if (replica.heldBy !== given.id) return; // it was released by an earlier attempt
    const { spec } = declaration;
    const exists = (name: string, id: bigint): boolean => {
      const state = datasets.get(name).dataset.replica.latest(String(id));
      return state !== undefined && state.body !== null;
    };
    const state = { spec, before: replica.rows.live(), bodies: replica.upcoming(), exists };
    const problems = await whileBeating(() => validateState(state));
    if (problems.length === 0) return;
    await imports.put({ ...given, blocked: problems.join('; ') });
    throw asFailure(new SlipwayError('import.rows', `the new state is not served: ${problems.join('; ')}`));
  }

  /** @throws run_failed before anything is deleted, when something refers to a row that would be */
  async function refuseReferred({ dataset }: DatasetImport, absent: readonly bigint[]): Promise<void> {
    if (absent.length === 0) return;
    for (const { name } of datasets.all()) {
      await whileBeating(() => datasets.need(name)).catch((err: unknown) => {
        if (!(err instanceof SlipwayError) || err.code !== 'dataset.not_found') throw err;
      });
    }
    for (const id of absent) {
      const referrer = writes.referrerOf(dataset, id);
      if (referrer === undefined) continue;
      const message = `${dataset} ${id} is absent from the upload, and ${referrer.dataset} ${referrer.id} refers to it`;
      throw asFailure(new SlipwayError('entity.restricted', message));
    }
  }

  /** Of all rows that name one, also of those that were refused: what they are about is not absent. */
  async function idsIn(given: DatasetImport, spec: ReadyDataset['declaration']['spec']): Promise<IdList> {
    const ids = createIdList();
    const bytes = imports.read(given.id, { start: 0, end: given.size_bytes });
    const { format } = given.options;
    for await (const row of readRows({ format, spec, bytes, cursor: { offset: 0, line: 0 } })) {
      const id = idOf(row);
      if (id !== undefined) ids.add(id);
      if (row.line % BLOCK_ROWS === 0) heartbeat(row.line);
    }
    return ids;
  }
}

/** Entities that are there and not among these. */
function absentFrom({ rows }: Replica, ids: IdList): bigint[] {
  const present = ids.sorted();
  const absent: bigint[] = [];
  for (let row = 0; row < rows.end(); row += 1) {
    const id = rows.id(row);
    if (rows.find(id) === row && !rows.isDeleted(row) && !present.has(id)) absent.push(id);
  }
  return absent;
}

/** @throws run_failed before anything is deleted, when it would be more than the declaration lets go at once */
function refuseDrop(
  { counts, options }: DatasetImport,
  { ready: { dataset, declaration }, absent }: { ready: ReadyDataset; absent: number },
): void {
  const live = dataset.replica.rows.live();
  const isWritten = options.announce === 'as_you_go' && !options.dry_run;
  const before = isWritten ? live - counts.created : live;
  const problem = dropProblem(declaration.spec, { before, after: before + counts.created - absent });
  if (problem !== undefined) throw asFailure(new SlipwayError('import.rows', problem));
}

/** @throws import.rows when there are more errors than the import takes */
function refuseErrors({ options, counts, errors }: DatasetImport): void {
  const limit = options.on_error === 'stop' ? 0 : options.max_errors;
  if (counts.failed <= limit) return;
  const [first] = errors;
  const detail = first === undefined ? '' : `: line ${first.line}, ${first.message}`;
  throw new SlipwayError('import.rows', `${counts.failed} of ${counts.rows_read} rows cannot be imported${detail}`);
}

/** What is wrong with the upload, as the run tells it. */
const asFailure = (err: unknown): unknown =>
  err instanceof SlipwayError && err.expose && !err.retryable
    ? runFailed({ reason: 'DataCopyFailed', message: err.message }, err)
    : err;
