import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { type ImportRow, readRows } from '../../reference/rows/import-rows.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetImport, ImportRef } from '../../reference/dataset/import.js';
import { createAddBlock } from './import-block.js';
import { type ImportContext, openDatasets, toRunFailure } from './import-context.js';

/** Writes every row of the upload, block by block, from the position that an earlier attempt stored. */
export async function importRows(context: ImportContext, { importId }: ImportRef): Promise<void> {
  const { imports, blockRows, blockBytes } = context;
  const addBlock = createAddBlock(context);
  let given = await imports.get(importId);
  if (given.cursor.isRead) return;
  const { declaration } = await openDatasets(context, given);
  const { options, cursor } = given;
  const bytes = imports.read(importId, { start: cursor.offset, end: given.size_bytes });
  const rows = readRows({ format: options.format, spec: declaration.spec, bytes, cursor });
  let block: ImportRow[] = [];
  // The first block contains the rows that an earlier attempt wrote after it last stored its counts.
  let isRepeated = activityInfo().attempt > 1;
  const store = async (): Promise<void> => {
    given = await addBlock(given, { rows: block, isRepeated });
    // An attempt that timed out must not overwrite what the next one stored.
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
    throw toRunFailure(err);
  }
  await imports.put({ ...given, cursor: { ...given.cursor, isRead: true } });
}

/** @throws import.rows when there are more errors than the import allows */
function refuseErrors({ options, counts, errors }: DatasetImport): void {
  const limit = options.on_error === 'stop' ? 0 : options.max_errors;
  if (counts.failed <= limit) return;
  const [first] = errors;
  const detail = first === undefined ? '' : `: line ${first.line}, ${first.message}`;
  throw new SlipwayError('import.rows', `${counts.failed} of ${counts.rows_read} rows cannot be imported${detail}`);
}
