import { type Watch, WATCH_LIMITS, type WatchSpec, type WatchStatus } from '../../notifications/kinds/watch.js';
import type { WatchState } from '../../notifications/stores/watch-states.js';

export const watchTag = ({ revision }: Pick<Watch, 'revision'>): string => `"${revision}"`;

/** Adds an entry to the history: the members that differ, and the state if it does. */
export function withHistory(after: Watch, before: Watch, by: { at: string; actor: string }): Watch {
  const names = Object.keys(after.spec) as (keyof WatchSpec)[];
  const changed: string[] = names.filter(
    (name) => JSON.stringify(after.spec[name]) !== JSON.stringify(before.spec[name]),
  );
  if (after.status.state !== before.status.state) changed.push(`state: ${after.status.state}`);
  const entry = { generation: after.generation, ...by, changed };
  const history: WatchStatus['history'] = [...before.status.history, entry].slice(-WATCH_LIMITS.history);
  return { ...after, status: { ...after.status, history }, updatedAt: by.at, updatedBy: by.actor };
}

/** A watch as clients see it: what was asked for beside what became of it. */
export function toWatch(watch: Watch, state: WatchState | undefined) {
  const { id, spec, status, generation, createdAt, updatedAt, createdBy, updatedBy } = watch;
  const { set: _forExplain, ...evaluation } = state ?? {};
  return {
    id,
    ...spec,
    state: status.state,
    evaluation: state === undefined ? null : evaluation,
    history: status.history,
    generation,
    created_at: createdAt,
    updated_at: updatedAt,
    created_by: createdBy,
    updated_by: updatedBy,
  };
}
