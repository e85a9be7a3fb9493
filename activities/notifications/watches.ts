import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamOfWatch, type Watch } from '../../notifications/kinds/watch.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { WatchStates } from '../../notifications/stores/watch-states.js';
import { whileBeating } from '../shared/heartbeat.js';
import type { WatchedDataset } from './watched-dataset.js';

export interface WatchDeps {
  watches: ResourceStore<Watch>;
  states: WatchStates;
  openDataset: (name: string) => WatchedDataset;
  /** Between two looks at the logs, at the settings, and two words about each watch. */
  pollMs?: number;
  refreshMs?: number;
  tellMs?: number;
}

/** How a turn of the evaluator ended. */
export interface WatchTurn {
  /** There is no watch any more. */
  ended: boolean;
}

/** Judges every watch while it lives: what is known stands in checkpoints and logs, so another may do it at any time. */
export function createWatchActivities(deps: WatchDeps) {
  return {
    /** @throws unavailable when the settings cannot be read */
    async evaluateWatches(): Promise<WatchTurn> {
      const signal = cancellationSignal();
      return whileBeating(() => evaluate(deps, { signal, beat: () => heartbeat() }));
    },
  };
}
export type WatchActivities = ReturnType<typeof createWatchActivities>;

/** @param life `signal` ends it at the next step */
export async function evaluate(deps: WatchDeps, life: { signal: AbortSignal; beat: () => void }): Promise<WatchTurn> {
  const { watches, states, openDataset, pollMs = 100, refreshMs = 2_000, tellMs = 2_000 } = deps;
  const { signal, beat } = life;
  const open = new Map<string, WatchedDataset>();
  let byDataset = new Map<string, Watch[]>();
  let [readAt, toldAt] = [-Infinity, -Infinity];

  async function refresh(): Promise<void> {
    const all = (await watches.list()).filter(({ status }) => status.state !== 'removed');
    byDataset = new Map();
    for (const watch of all) {
      const name = streamOfWatch(watch.spec);
      byDataset.set(name, [...(byDataset.get(name) ?? []), watch]);
    }
    for (const name of open.keys()) if (!byDataset.has(name)) open.delete(name);
    readAt = performance.now();
  }

  async function tellStates(): Promise<void> {
    for (const [name, list] of byDataset) {
      const dataset = open.get(name);
      if (dataset !== undefined) for (const watch of list) await states.put(watch.id, dataset.stateOf(watch));
      beat();
    }
    toldAt = performance.now();
  }

  while (!signal.aborted) {
    beat();
    if (performance.now() - readAt >= refreshMs) await refresh();
    if (byDataset.size === 0) return { ended: true };
    let more = false;
    for (const [name, list] of byDataset) {
      const dataset = open.get(name) ?? openDataset(name);
      open.set(name, dataset);
      more = (await dataset.turn(list)) || more;
    }
    if (performance.now() - toldAt >= tellMs) await tellStates();
    if (!more) await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
  for (const dataset of open.values()) await dataset.save().catch(() => {}); // the one before will do
  return { ended: false };
}
