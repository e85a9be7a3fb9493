import { THE_SET } from '../../../notifications/watches/observer.js';
import type { WatchState } from '../../../notifications/stores/watch-states.js';
import type { ActiveWatch } from './active-watch.js';

export interface WatchStateContext {
  /** The newest entry of the log that was applied. */
  log: { position: number; at: string };
  /** Code of the error because of which the log cannot be read. */
  stalled: string | undefined;
  now: Date;
}

/** Returns the state of a watch for the API; without an active watch it is not initialized yet. */
export function toWatchState(
  active: Pick<ActiveWatch, 'watch' | 'machine'> | undefined,
  { log, stalled, now }: WatchStateContext,
): WatchState {
  const due = active?.machine.nextDue() ?? Infinity;
  const isUnknown = stalled !== undefined && due < now.getTime();
  const set = active?.watch.spec.each === 'set' ? active.machine.view(THE_SET) : undefined;
  return {
    state: active === undefined ? 'arming' : isUnknown ? 'unknown' : 'watching',
    position: log.position,
    log_at: log.at === '' ? null : log.at,
    armed: active?.machine.armed() ?? 0,
    next_due_at: due === Infinity ? null : new Date(due).toISOString(),
    ...(set && { set: { state: set.state, gap: set.gap, since: set.since } }),
    ...(stalled !== undefined && { note: `the log does not move: ${stalled}` }),
    updated_at: now.toISOString(),
  };
}
