import type { Problem } from '../../platform/kinds/problem.js';

/** Options of an import: how rows are written and how errors are handled. */
export interface ImportOptions {
  format: ImportFormat;
  /** `replace` deletes what is absent from the upload. */
  mode: 'upsert' | 'insert_only' | 'replace';
  /** Everything but the writes. */
  dry_run: boolean;
  on_error: 'stop' | 'skip';
  /** With `skip`, the import fails when there are more. */
  max_errors: number;
  /** `at_end`: readers see nothing of it until it has succeeded, and nothing at all if it fails. */
  announce: 'as_you_go' | 'at_end';
}
export type ImportFormat = 'ndjson' | 'csv';
export const IMPORT_FORMATS: Readonly<Record<string, ImportFormat>> = {
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};

export type ImportState = 'uploading' | 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';

/** A problem of one row; `line` is its first line, from 1. */
export interface RowProblem extends Problem {
  line: number;
}

export interface ImportCounts {
  rows_read: number;
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
  failed: number;
}

/** An import as it is stored. */
const LATEST_MS = 0xffff_ffff_ffff;
const TIME_DIGITS = 12;

/**
 * Draws the id of an import. Rows are read in the order of their ids, so a later one is smaller. The zeros put it before
 * the ids of earlier releases, which are random.
 */
export const importId = (now: Date, random: string): string =>
  `imp_00${(LATEST_MS - now.getTime()).toString(16).padStart(TIME_DIGITS, '0')}${random}`;

export interface DatasetImport {
  id: string;
  dataset: string;
  actor: string;
  options: ImportOptions;
  state: ImportState;
  /** Why it failed, in one sentence. */
  message?: string;
  /** Problems that the dataset's validators found in the new state. */
  blocked?: string;
  created_at: string;
  /** Size of the upload once it is complete; later bytes do not belong to it. */
  size_bytes?: number;
  started_at?: string;
  ended_at?: string;
  counts: ImportCounts;
  /** The first of them; `counts.failed` has them all. */
  errors: RowProblem[];
  /** Dataset versions before its first and after its last change. */
  version_from?: number;
  version_to?: number;
  /** Number of consecutive platform failures at one position. */
  faults?: { place: string; times: number };
  /** Position after the last block whose counts are stored: an attempt resumes here. */
  cursor: ImportCursor;
}

export interface ImportCursor {
  /** Bytes of the upload. */
  offset: number;
  /** Lines before it. */
  line: number;
  /** Columns of a CSV upload, once they were read. */
  columns?: string[];
  /** Every row was read; what `replace` deletes comes then. */
  isRead?: boolean;
  /** How many entities that is. */
  absent?: number;
  /** And they were deleted. */
  isReplaced?: boolean;
}

export const MOST_ROW_PROBLEMS = 1_000;
export const NO_COUNTS: ImportCounts = { rows_read: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };

export const isOver = ({ state }: Pick<DatasetImport, 'state'>): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'canceled';

/** Starts and stops the run of an import. */
export interface ImportRuns {
  /** @throws unavailable; a run that was started already is left as it is */
  start(given: Pick<DatasetImport, 'id' | 'actor'>): Promise<void>;
  cancel(importId: string): Promise<void>;
}

export interface ImportRef {
  importId: string;
}
export const importWorkflowId = (id: string): string => `import/${id}`;
