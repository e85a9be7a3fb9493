import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import type { LogBeginning } from '../../platform/stores/log-retention.js';
import type { LogContent } from './change.js';
import type { DeclaredFields } from './dataset.js';

/** The beginning of a stream that may be a dataset's log, with the state that a reader needs to start there. */
export interface DatasetLogBeginning extends LogBeginning {
  /** For a dataset, the declaration in force there; absent where it was not recorded. */
  declared?: DeclaredFields;
  /** True while an import holds changes back there. */
  isHeld?: boolean;
}

type AnyEntry = LogEntryBase & { kind?: string };

/** The beginning of the log once this entry, the oldest, is removed. */
export function beginningAfter(before: DatasetLogBeginning, entry: AnyEntry): DatasetLogBeginning {
  const { position: purgedTo } = entry;
  if (!isSchema(entry)) return { ...before, purgedTo, isHeld: isHeldAfter(entry, before.isHeld === true) };
  const { spec, schema: generation } = entry;
  return { ...before, purgedTo, declared: { fields: spec.fields, generation, position: purgedTo } };
}

const isSchema = (entry: AnyEntry): entry is LogEntryBase & LogContent & { kind: 'schema' } => entry.kind === 'schema';

/** Returns whether an import holds changes back after an entry. */
export function isHeldAfter({ kind = '' }: { kind?: string }, before: boolean): boolean {
  return kind === 'hold' || (before && !['release', 'discard', 'dropped'].includes(kind));
}
