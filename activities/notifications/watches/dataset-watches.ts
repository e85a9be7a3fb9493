import type { DeclaredFields } from '../../../reference/dataset/dataset.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import type { Watch } from '../../../notifications/kinds/watch.js';
import type { GapEvent } from '../../../notifications/watches/gap-machine.js';
import { type ActiveWatch, applyEntry, settingsFingerprint } from './active-watch.js';
import { createWatchEventQueue } from './watch-event-queue.js';

/** The state of a dataset's log that its watches depend on. */
export interface WatchedLogState {
  declared: DeclaredFields;
  /** Token of the newest entry; empty while the log has none. */
  token: string;
  /** An import holds changes back. */
  isHeld: boolean;
}

/** Returns the state of a log after an entry. */
export function foldLogState(state: WatchedLogState, entry: StreamEntry): WatchedLogState {
  const { kind, token } = entry;
  const declared = kind === 'schema' ? { fields: entry.spec.fields, generation: entry.schema } : state.declared;
  const endsHold = kind === 'release' || kind === 'discard' || kind === 'dropped';
  return { declared, token, isHeld: kind === 'hold' || (state.isHeld && !endsHold) };
}

/** The watches of one dataset with the state of its log: entries go in, emitted events come out. */
export function createDatasetWatches() {
  const active = new Map<string, ActiveWatch>();
  const queue = createWatchEventQueue();
  let state: WatchedLogState = { declared: { fields: {} }, token: '', isHeld: false };

  return {
    active: active as ReadonlyMap<string, ActiveWatch>,
    queue,
    get state() {
      return state;
    },
    resume: (from: Partial<WatchedLogState>): void => void (state = { ...state, ...from }),
    add: (watch: Omit<ActiveWatch, 'held'>): void => void active.set(watch.watch.id, { ...watch, held: new Map() }),
    /** Removes the watches that are not in a list. */
    retain(watches: readonly Watch[]): void {
      const ids = new Set(watches.map(({ id }) => id));
      for (const id of active.keys()) if (!ids.has(id)) active.delete(id);
    },
    /** Applies a changed revision. @returns false when the state of the watch has to be initialized first */
    edit(watch: Watch): boolean {
      const known = active.get(watch.id);
      if (known === undefined || settingsFingerprint(known.watch) !== settingsFingerprint(watch)) return false;
      if (known.watch.revision === watch.revision) return true;
      known.machine.edit(watch.spec);
      if (watch.status.state === 'paused') known.machine.pause();
      else known.machine.resume();
      active.set(watch.id, { ...known, watch });
      return true;
    },
    apply: (entry: StreamEntry): void => {
      const { isHeld } = state;
      state = foldLogState(state, entry);
      for (const each of active.values()) applyEntry(each, entry, isHeld);
    },
    /** Moves the clock of every watch to the time of the log. */
    advance(at: number): void {
      for (const { machine } of active.values()) machine.advance(at);
    },
    nextDue: (): number => Math.min(Infinity, ...[...active.values()].map(({ machine }) => machine.nextDue())),
    /** Returns the function through which the gap machine of a watch emits. */
    emitterOf:
      (id: string) =>
      (event: GapEvent): void => {
        const each = active.get(id);
        if (each === undefined) return;
        const { generation } = state.declared;
        queue.push(each.watch, { ...event, entity: each.observer.nameOf(event.id), generation });
      },
  };
}
export type DatasetWatches = ReturnType<typeof createDatasetWatches>;
