import type { DatasetSpec } from './dataset.js';
import type { CommitTime } from './commit-times.js';

export interface Declaration {
  spec: DatasetSpec;
  /** Rises by one with every change of the declaration. */
  generation: number;
  /** Position of its entry. */
  position: number;
  at: string;
  actor: string;
}

export interface Pin {
  version: number;
  /** Commit time of that version. */
  asOf: string;
  reason: string;
  actor: string;
  at: string;
}

/** Why the state that an import was to bring is not served. */
export interface Blocked {
  import: string;
  message: string;
  at: string;
}

/** All of a replica's state beside its rows. */
export interface ReplicaHead {
  position: number;
  at: string;
  /** Token of the entry at this position. */
  token: string;
  newest: number;
  newestAt: string;
  declaration?: Declaration | undefined;
  generation: number;
  pin?: Pin | undefined;
  blocked?: Blocked | undefined;
  keptFrom: number;
  marks: CommitTime[];
}

/**
 * An observer of rows: called for every row that is added, before it can be read, and for every row that is forgotten.
 */
export interface RowWatcher {
  /** @param body `null`: the entity is deleted at this row */
  added(row: number, body: string | null): void;
  forgotten(row: number): void;
  /** All rows are in place for a narrower declaration; it takes effect once this is done. */
  prepare(declaration: Declaration): Promise<void>;
  /** The declaration in force from now on; `undefined`: the dataset was dropped. */
  declared(declaration: Declaration | undefined): void;
}

export interface ReplicaOptions {
  /** Whether a declaration accepts this row: the same result in every process, at any time. */
  accepts: (spec: DatasetSpec, body: string) => boolean;
  /** The same row as this declaration writes it; used where a declaration changed what stored rows look like. */
  rewrite: (spec: DatasetSpec, body: string) => string;
}
