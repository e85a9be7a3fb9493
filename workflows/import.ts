import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { ImportActivities } from '../activities/imports/import.js';
import type { ImportRef } from '../reference/dataset/import.js';
import { createProgress } from './details.js';
import { failureOf, runFailure } from './failure.js';
import { phase } from './phases.js';

const { beginImport } = proxyActivities<ImportActivities>(phase('import', 'take up the import'));
const { importRows } = proxyActivities<ImportActivities>(phase('await', 'write the rows'));
const { removeAbsent } = proxyActivities<ImportActivities>(phase('await', 'delete what the upload does not have'));
const { finishImport } = proxyActivities<ImportActivities>(phase('import', 'announce it'));
const { failImport } = proxyActivities<ImportActivities>(phase('undo', 'record why it ended'));

// prettier-ignore
const STEPS = {
  begin:  'take up the import',
  rows:   'write the rows',
  absent: 'delete what the upload does not have',
  finish: 'announce it',
} as const;

/** Brings the rows of one upload into their dataset. */
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
