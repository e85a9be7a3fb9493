import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

/** What the evaluator last said of a watch; a cache for people, of which nothing depends. */
export interface WatchState {
  /** `arming`: what is in its scope is being looked up; `unknown`: something is due, and its log does not move. */
  state: 'arming' | 'watching' | 'unknown';
  /** How far the log was read: position and time of its newest entry. */
  position: number;
  log_at: string | null;
  /** Entities with a gap that goes on. */
  armed: number;
  next_due_at: string | null;
  /** Of a watch of a whole set, where its one gap stands: by the version that began it, and since when in milliseconds. */
  set?: { state: 'out' | 'waiting' | 'armed' | 'late' | 'absent' | 'silenced' | 'over'; gap: number; since: number };
  /** Why its notices are behind, in words. */
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
