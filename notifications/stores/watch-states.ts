import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

/** The last report of the evaluator about a watch; only for display. */
export interface WatchState {
  /** `arming`: the entities in its scope are being loaded; `unknown`: a deadline passed and its log does not move. */
  state: 'arming' | 'watching' | 'unknown';
  /** Position and time of the newest evaluated entry. */
  position: number;
  log_at: string | null;
  /** Entities with an open gap. */
  armed: number;
  next_due_at: string | null;
  /** The gap of a watch of a whole set: the version that began it, and since when in milliseconds. */
  set?: { state: 'out' | 'waiting' | 'armed' | 'late' | 'absent' | 'silenced' | 'over'; gap: number; since: number };
  /** Why its events are late, as text. */
  note?: string;
  updated_at: string;
}

export interface WatchStates {
  get(watch: string): Promise<WatchState | undefined>;
  put(watch: string, state: WatchState): Promise<void>;
}

export function createWatchStates({ database }: { database: Database }): WatchStates {
  const table = database.table<Row & { state: WatchState }>(collections.watchState);
  return {
    get: async (watch) => (await table.get(watch))?.state,
    put: (watch, state) => table.put({ _id: watch, state }),
  };
}
