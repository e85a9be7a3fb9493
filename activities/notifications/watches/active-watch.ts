import { unreachable } from '../../../platform/kinds/errors.js';
import type { Change } from '../../../reference/dataset/change.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import type { Watch } from '../../../notifications/kinds/watch.js';
import type { GapMachine, Observation } from '../../../notifications/watches/gap-machine.js';
import type { Observer } from '../../../notifications/watches/observer.js';

/** A watch with the state of everything in its scope. */
export interface ActiveWatch {
  watch: Watch;
  machine: GapMachine;
  observer: Observer;
  /** Entries up to this position are part of the state. */
  position: number;
  /** Observations that an import holds back, by entity. */
  held: Map<bigint, Observation>;
}

/** Fingerprint of the settings that per-entity state depends on. When it changes, the state is rebuilt. */
export const settingsFingerprint = ({ uid, spec: { scope, each, counts, arm_at } }: Watch): string =>
  JSON.stringify([uid, scope, each, counts, arm_at]);

/**
 * Applies an entry of the log to a watch, unless the entry is part of its state already.
 * @param isHeld an import holds changes back
 */
export function applyEntry(active: ActiveWatch, entry: StreamEntry, isHeld: boolean): void {
  if (entry.position <= active.position) return;
  active.position = entry.position;
  const at = Date.parse(entry.at);
  active.machine.advance(at);
  observe(active, entry, { at, isHeld });
}

interface EntryContext {
  /** Milliseconds. */
  at: number;
  isHeld: boolean;
}

function observe(active: ActiveWatch, entry: StreamEntry, context: EntryContext): void {
  const { machine, observer, held } = active;
  const { at } = context;
  switch (entry.kind) {
    case 'changes':
      for (const change of entry.changes) observeChange(active, change, { ...context, position: entry.position });
      return;
    case 'release':
      for (const observation of held.values()) machine.observe(observation, at);
      return held.clear();
    case 'discard':
      return held.clear();
    case 'schema':
      return observer.declare(entry.spec);
    case 'dropped':
      held.clear();
      return machine.closeAll(at);
    case 'event': {
      const observation = observer.observeEvent(entry);
      return observation && machine.observe(observation, at);
    }
    case 'hold':
    case 'pin':
    case 'unpin':
    case 'heartbeat':
      return;
    default:
      return unreachable(entry);
  }
}

function observeChange(
  { machine, observer, held }: ActiveWatch,
  change: Change,
  { at, isHeld, position }: EntryContext & { position: number },
): void {
  if (change.refused === true) return;
  const observation = observer.observe(change, position);
  if (observation === undefined) return;
  if (!isHeld) return machine.observe(observation, at);
  const before = held.get(observation.id);
  if (before !== undefined && observation.version <= before.version) return;
  held.set(observation.id, { ...observation, counts: observation.counts || before?.counts === true });
}
