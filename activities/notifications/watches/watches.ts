import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamOfWatch, type Watch } from '../../../notifications/kinds/watch.js';
import type { ResourceStore } from '../../../platform/stores/resources.js';
import type { WatchStates } from '../../../notifications/stores/watch-states.js';
import { whileBeating } from '../../shared/heartbeat.js';
import type { WatchedDataset } from './watched-dataset.js';

export interface WatchDeps {
  watches: ResourceStore<Watch>;
  states: WatchStates;
  openDataset: (name: string) => WatchedDataset;
  /** Intervals of reading the logs, reading the settings, and writing the state of each watch. */
  pollMs?: number;
  refreshMs?: number;
  reportMs?: number;
}

/** The result of an evaluator that stopped. */
export interface WatchEvaluation {
  /** No watch is left. */
  ended: boolean;
}

/** The activity that evaluates all watches. Its state is in checkpoints and logs, so another worker can continue it. */
export function createWatchActivities(deps: WatchDeps) {
  return {
    /** @throws unavailable when the settings cannot be read */
    async evaluateWatches(): Promise<WatchEvaluation> {
      const signal = cancellationSignal();
      return whileBeating(() => evaluate(deps, { signal, beat: () => heartbeat() }));
    },
  };
}
export type WatchActivities = ReturnType<typeof createWatchActivities>;

/** Evaluates watches until none is left or `signal` aborts. */
export async function evaluate(
  deps: WatchDeps,
  life: { signal: AbortSignal; beat: () => void },
): Promise<WatchEvaluation> {
  const { watches, states, openDataset, pollMs = 100, refreshMs = 2_000, reportMs = 2_000 } = deps;
  const { signal, beat } = life;
  const open = new Map<string, WatchedDataset>();
  let byDataset = new Map<string, Watch[]>();
  let [readAt, reportedAt] = [-Infinity, -Infinity];

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

  async function reportStates(): Promise<void> {
    for (const [name, list] of byDataset) {
      const dataset = open.get(name);
      if (dataset !== undefined) for (const watch of list) await states.put(watch.id, dataset.stateOf(watch));
      beat();
    }
    reportedAt = performance.now();
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
    if (performance.now() - reportedAt >= reportMs) await reportStates();
    if (!more) await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
  for (const dataset of open.values()) await dataset.save().catch(() => {}); // the last checkpoint is enough
  return { ended: false };
}
