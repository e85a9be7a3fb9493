import type { LogContent, Placed } from '../resources/change.js';
import type { DeclaredFields } from '../resources/dataset.js';

/** Where a log begins, and what stood there: for readers who come to it from before. */
export interface LogBeginning {
  /** Entries up to here are not kept any more; 0: all are. */
  purgedTo: number;
  /** Of a dataset, the declaration in force there; absent where it was not noted. */
  declared?: DeclaredFields;
  /** An import keeps changes back there. */
  isHeld?: boolean;
}

type AnyEntry = Placed & { kind?: string };

/** Where the log begins once this entry, the oldest, is gone. */
export function beginningBehind(before: LogBeginning, entry: AnyEntry): LogBeginning {
  const { position: purgedTo } = entry;
  if (!isSchema(entry)) return { ...before, purgedTo, isHeld: isHeldBehind(entry, before.isHeld === true) };
  const { spec, schema: generation } = entry;
  return { ...before, purgedTo, declared: { fields: spec.fields, generation, position: purgedTo } };
}

const isSchema = (entry: AnyEntry): entry is Placed & LogContent & { kind: 'schema' } => entry.kind === 'schema';

/** Whether an import keeps changes back behind an entry. */
export function isHeldBehind({ kind = '' }: { kind?: string }, before: boolean): boolean {
  return kind === 'hold' || (before && !['release', 'discard', 'dropped'].includes(kind));
}
