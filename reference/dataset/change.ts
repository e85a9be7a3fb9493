import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import type { DatasetSpec } from './dataset.js';

/**
 * One version of one entity. Inserting it under `<dataset>/<id>/<version>` decides who writes that version; its place in
 * the log makes it count.
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
  /** Generation of the declaration that it was judged by. */
  schema: number;
  /** Drawn for each try: tells a writer whose acknowledgement was lost that the record is its own. */
  commit: string;
  /** Hash of caller and `Idempotency-Key`: a later try of the same call knows it as its own. */
  key?: string;
  /** In the log: the declaration in force at its place does not take it, so it is a version without content of its own. */
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

/** What an entry of a dataset's log says. */
export type LogContent =
  | { kind: 'changes'; changes: Change[] }
  /**
   * `rewrite`: stored rows are written anew, as the types of fields changed.
   * `before`: position of the declaration that it changes.
   */
  | { kind: 'schema'; spec: DatasetSpec; schema: number; before?: number; rewrite?: boolean; actor: string }
  | { kind: 'dropped'; actor: string }
  | { kind: 'hold' | 'release'; import: string }
  /** What was held back counts as versions without content; `blocked`: what the dataset's validators had against it. */
  | { kind: 'discard'; import: string; blocked?: string }
  /** `asOf`: commit time of the version. */
  | { kind: 'pin'; version: number; asOf: string; reason: string; actor: string }
  | { kind: 'unpin'; actor: string }
  /** Nothing happened: it says that nothing earlier is missing. */
  | { kind: 'heartbeat' };

export type LogEntry = LogEntryBase & LogContent;

export const changeId = (dataset: string, id: string, version: number): string => `${dataset}/${id}/${version}`;
