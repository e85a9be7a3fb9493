import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import {
  createLogRetention,
  type LogRetention,
  type LogRetentionOptions,
} from '../../platform/stores/log-retention.js';
import { beginningAfter, type DatasetLogBeginning } from '../dataset/log-beginning.js';

export type DatasetLogRetention = LogRetention<DatasetLogBeginning>;

/**
 * Creates the retention of a stream that may be a dataset's log: its beginning holds the declaration and a running
 * import.
 */
export const createDatasetLogRetention = <E extends LogEntryBase>(
  options: Omit<LogRetentionOptions<E, DatasetLogBeginning>, 'advance'>,
): DatasetLogRetention => createLogRetention<E, DatasetLogBeginning>({ ...options, advance: beginningAfter });
