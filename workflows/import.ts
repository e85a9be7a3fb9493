import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { ImportActivities } from '../activities/imports/import.js';
import type { ImportRef } from '../reference/dataset/import.js';
import { createProgress } from './details.js';
import { failureOf, runFailure } from './failure.js';
import { phase } from './phases.js';

const { beginImport } = proxyActivities<ImportActivities>(phase('import', 'claim the import'));
const { importRows } = proxyActivities<ImportActivities>(phase('await', 'write the rows'));
const { removeAbsent } = proxyActivities<ImportActivities>(
  phase('await', 'delete rows that the upload does not contain'),
);
const { finishImport } = proxyActivities<ImportActivities>(phase('import', 'announce the import'));
const { failImport } = proxyActivities<ImportActivities>(phase('undo', 'record the failure'));

// prettier-ignore
const STEPS = {
  begin:  'claim the import',
  rows:   'write the rows',
  absent: 'delete rows that the upload does not contain',
  finish: 'announce the import',
} as const;

/** Writes the rows of one upload into their dataset. */
export async function datasetImport(ref: ImportRef): Promise<void> {
  const progress = createProgress(`Import ${ref.importId}`, STEPS);
  try {
    progress.begin('begin');
    const { replaces } = await beginImport(ref);
    progress.begin('rows');
    await importRows(ref);
    if (replaces) {
      progress.begin('absent');
      await removeAbsent(ref);
    }
    progress.begin('finish');
    await finishImport(ref);
    progress.finish();
  } catch (err) {
    const failure = failureOf(err);
    progress.fail(failure);
    const state = isCancellation(err) ? 'canceled' : 'failed';
    await CancellationScope.nonCancellable(() => failImport({ ...ref, state, message: failure.message }));
    throw runFailure(failure, err);
  }
}
