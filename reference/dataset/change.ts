import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import type { DatasetSpec } from './dataset.js';

/**
 * One version of one entity. The insert under `<dataset>/<id>/<version>` decides which writer owns that version; the
 * version takes effect at its position in the log.
 */
export interface Change {
  /** Decimal: ids go to 2^63 - 1. */
  id: string;
  /** 1, 2, 3 ... per entity; never starts again, not even after a delete. */
  version: number;
  /** RFC 3339 UTC with milliseconds; never before the time of the version before. */
  at: string;
  /** The row as a fetch answers it, as text, which keeps the digits of every number; `null`: deleted. */
  body: string | null;
  /** JSON text of the changed fields as they were before, `null` for those that were absent; absent on a create. */
  previous?: string;
  actor: string;
  /** Generation of the declaration that it was validated against. */
  schema: number;
  /** Drawn for each try: a writer whose acknowledgement was lost recognizes its own record by it. */
  commit: string;
  /** Hash of caller and `Idempotency-Key`: a retry of the same call recognizes its record by it. */
  key?: string;
  /** In the log: the declaration in force at its position rejects it, so the version has no content of its own. */
  refused?: true;
}

/** The newest state of an entity, also one that a hold keeps from readers. */
export interface RowState {
  version: number;
  /** The row as a fetch answers it; `null`: deleted. */
  body: string | null;
  /** When this state came to be; of a deleted entity, when it was deleted. */
  at: string;
}

/** The content of an entry of a dataset's log. */
export type LogContent =
  | { kind: 'changes'; changes: Change[] }
  /**
   * `rewrite`: stored rows are written again, because the types of fields changed.
   * `before`: position of the declaration that it changes.
   */
  | { kind: 'schema'; spec: DatasetSpec; schema: number; before?: number; rewrite?: boolean; actor: string }
  | { kind: 'dropped'; actor: string }
  | { kind: 'hold' | 'release'; import: string }
  /** Changes that were held back become versions without content; `blocked`: problems that the validators found. */
  | { kind: 'discard'; import: string; blocked?: string }
  /** `asOf`: commit time of the version. */
  | { kind: 'pin'; version: number; asOf: string; reason: string; actor: string }
  | { kind: 'unpin'; actor: string }
  /** Nothing happened: proves that no earlier entry is missing. */
  | { kind: 'heartbeat' };

export type LogEntry = LogEntryBase & LogContent;

export const changeId = (dataset: string, id: string, version: number): string => `${dataset}/${id}/${version}`;
