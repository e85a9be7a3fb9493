import { unreachable } from '../../platform/kinds/errors.js';
import type { LogEntry } from './change.js';
import type { Blocked, Declaration, Pin } from './replica-state.js';

/** The part of a replica's state that entries other than row changes set. Never modified in place. */
export interface ReplicaControl {
  declaration: Declaration | undefined;
  /** Generation of the last declaration, also of a dropped dataset. */
  generation: number;
  pin: Pin | undefined;
  blocked: Blocked | undefined;
}

export const INITIAL_CONTROL: ReplicaControl = {
  declaration: undefined,
  generation: 0,
  pin: undefined,
  blocked: undefined,
};

export const declarationOf = (entry: LogEntry & { kind: 'schema' }): Declaration => ({
  ...entry,
  generation: entry.schema,
});

/**
 * Folds an entry into the control state. Returns the given object when the entry does not concern it, so that entries
 * with row changes allocate nothing.
 * @param heldBy id of the import that holds the dataset; other imports cannot end the hold
 */
export function foldControl(control: ReplicaControl, entry: LogEntry, heldBy: string | undefined): ReplicaControl {
  switch (entry.kind) {
    case 'changes':
    case 'hold':
    case 'heartbeat':
      return control;
    case 'schema':
      // The new declaration validates the next state, so an earlier refusal ends.
      return { ...control, declaration: declarationOf(entry), generation: entry.schema, blocked: undefined };
    case 'dropped':
      return { ...INITIAL_CONTROL, generation: control.generation };
    case 'release':
      return heldBy === entry.import ? { ...control, blocked: undefined } : control;
    case 'discard': {
      const { import: id, blocked: message, at } = entry;
      return heldBy === id && message !== undefined ? { ...control, blocked: { import: id, message, at } } : control;
    }
    case 'pin': {
      const { version, asOf, reason, actor, at } = entry;
      return { ...control, pin: { version, asOf, reason, actor, at } };
    }
    case 'unpin':
      return { ...control, pin: undefined };
    default:
      return unreachable(entry);
  }
}
