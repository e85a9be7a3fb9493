import { referenceLeavesOf } from '../../reference/dataset/references.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { DatasetImport } from '../../reference/dataset/import.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import type { RowWrites } from '../../reference/stores/row-writes.js';
import type { Imports } from '../../reference/stores/imports.js';
import { whileBeating } from '../shared/heartbeat.js';

/** The dependencies of the steps of an import, with defaults applied. */
export interface ImportContext {
  imports: Imports;
  datasets: Datasets;
  writes: RowWrites;
  now: () => Date;
  /** Rows that are written together; progress is stored after each block. */
  blockRows: number;
  /** A block ends earlier when its rows have this size. */
  blockBytes: number;
}

/** Opens the dataset of an import and those that it refers to; loading them may take a while. */
export function openDatasets({ datasets }: ImportContext, { dataset: name }: DatasetImport): Promise<ReadyDataset> {
  return whileBeating(async () => {
    const ready = await datasets.need(name);
    for (const { dataset: target } of referenceLeavesOf(ready.declaration.spec)) {
      if (target !== undefined && target !== name) await datasets.need(target);
    }
    return ready;
  });
}

/** Converts an error that a retry cannot fix to the failure of the run. */
export const toRunFailure = (err: unknown): unknown =>
  err instanceof SlipwayError && err.expose && !err.retryable
    ? runFailed({ reason: 'DataCopyFailed', message: err.message }, err)
    : err;
