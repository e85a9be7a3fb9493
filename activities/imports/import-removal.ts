import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { readRows } from '../../reference/rows/import-rows.js';
import { createIdList, type IdList } from '../../reference/rows/id-list.js';
import { dropProblem } from '../../reference/dataset/validators.js';
import type { Replica } from '../../reference/dataset/replica.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetImport, ImportRef } from '../../reference/dataset/import.js';
import type { ReadyDataset } from '../../reference/stores/datasets.js';
import { whileBeating } from '../shared/heartbeat.js';
import { idOf } from './import-block.js';
import { type ImportContext, openDatasets, toRunFailure } from './import-context.js';

/** Rows read between two heartbeats. */
const HEARTBEAT_ROWS = 2_000;

/** Deletes the entities that are absent from the upload. */
export async function removeAbsent(context: ImportContext, { importId }: ImportRef): Promise<void> {
  const { imports, writes, blockRows } = context;
  let given = await imports.get(importId);
  if (given.cursor.isReplaced) return;
  const { dataset, declaration } = await openDatasets(context, given);
  const absent = absentFrom(dataset.replica, await idsIn(context, given, declaration.spec));
  // Counted once: entities that an earlier attempt deleted are not absent any more.
  const total = given.cursor.absent ?? absent.length;
  if (given.cursor.absent === undefined) {
    refuseDrop(given, { ready: { dataset, declaration }, absent: total });
    await refuseReferred(context, given, absent);
  }
  const count = (left: number) => ({ ...given.counts, deleted: total - left });
  given = { ...given, cursor: { ...given.cursor, absent: total }, counts: count(absent.length) };
  await imports.put(given);
  const write = { dataset: given.dataset, actor: given.actor, import: importId, key: `import/${importId}/absent` };
  const remove = async (id: bigint): Promise<void> => {
    await writes.remove({ ...write, id }).catch((err: unknown) => {
      if (!(err instanceof SlipwayError) || err.code !== 'entity.deleted') throw err; // another writer deleted it
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
}

/** @throws run_failed before anything is deleted, when a restricting reference to an absent entity exists */
async function refuseReferred(
  { datasets, writes }: ImportContext,
  { dataset }: DatasetImport,
  absent: readonly bigint[],
): Promise<void> {
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
    throw toRunFailure(new SlipwayError('entity.restricted', message));
  }
}

/** Collects the ids of all rows, including refused ones: their entities are not absent. */
async function idsIn(
  { imports }: ImportContext,
  given: DatasetImport,
  spec: ReadyDataset['declaration']['spec'],
): Promise<IdList> {
  const ids = createIdList();
  const bytes = imports.read(given.id, { start: 0, end: given.size_bytes });
  const { format } = given.options;
  for await (const row of readRows({ format, spec, bytes, cursor: { offset: 0, line: 0 } })) {
    const id = idOf(row);
    if (id !== undefined) ids.add(id);
    if (row.line % HEARTBEAT_ROWS === 0) heartbeat(row.line);
  }
  return ids;
}

/** Lists the existing entities that are not among these ids. */
export function absentFrom({ rows }: Pick<Replica, 'rows'>, ids: IdList): bigint[] {
  const present = ids.sorted();
  const absent: bigint[] = [];
  for (let row = 0; row < rows.end(); row += 1) {
    const id = rows.id(row);
    if (rows.find(id) === row && !rows.isDeleted(row) && !present.has(id)) absent.push(id);
  }
  return absent;
}

/** @throws run_failed before anything is deleted, when the declaration forbids to delete so many rows at once */
function refuseDrop(
  { counts, options }: DatasetImport,
  { ready: { dataset, declaration }, absent }: { ready: ReadyDataset; absent: number },
): void {
  const live = dataset.replica.rows.live();
  const isWritten = options.announce === 'as_you_go' && !options.dry_run;
  const before = isWritten ? live - counts.created : live;
  const problem = dropProblem(declaration.spec, { before, after: before + counts.created - absent });
  if (problem !== undefined) throw toRunFailure(new SlipwayError('import.rows', problem));
}
