import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import type { Watch } from '../../../notifications/kinds/watch.js';
import { createLogFollower } from '../../../platform/stores/log-follower.js';
import type { StreamLog } from '../../../platform/stores/stream-log.js';
import type { WatchCheckpoints } from '../../../notifications/stores/watch-checkpoints.js';
import type { WatchState } from '../../../notifications/stores/watch-states.js';
import { createCheckpointSaver } from './checkpoint-saver.js';
import { createDatasetWatches } from './dataset-watches.js';
import { restoreCheckpoint, toCheckpoint } from './watch-checkpoint.js';
import { createWatchHeartbeat } from './watch-heartbeat.js';
import type { WatchSource } from './watch-source.js';
import { toWatchState } from './watch-state.js';

export interface WatchedDatasetOptions {
  name: string;
  log: StreamLog<StreamEntry>;
  source: WatchSource;
  checkpoints: WatchCheckpoints;
  /** Publishes events that were not published before, each about another entity. */
  publish: (events: PlatformEvent[]) => Promise<void>;
  onError: (err: unknown) => void;
  beat?: () => void;
  /** A clock that all evaluators share: one whose own clock is ahead must not move the time of the log. */
  now: () => Date;
  heartbeatMs?: number;
  checkpointMs?: number;
}

/** Events that are published in one turn. */
const EVENTS_PER_TURN = 50;

/**
 * Evaluates the watches of one dataset or of the platform's events. Its log is read once for all of them, and the time of
 * the log is their only clock. The id of an emitted event follows from the log, so several evaluators emit the same one.
 */
export function createWatchedDataset(options: WatchedDatasetOptions) {
  const { name, log, source, checkpoints, publish, onError, beat = () => {}, now } = options;
  const { heartbeatMs = 1_000, checkpointMs = 60_000 } = options;
  const watches = createDatasetWatches();
  const logTime = (): number => Date.parse(follower.at);
  const proveSilence = createWatchHeartbeat({
    ...{ now, heartbeatMs, logTime, nextDue: watches.nextDue },
    append: async (isObsolete) => {
      await follower.append(() => (isObsolete() ? undefined : { kind: 'heartbeat' }));
    },
  });
  const follower = createLogFollower<StreamEntry>({ log, apply: watches.apply, now });
  const saver = createCheckpointSaver({
    position: () => follower.position,
    canSave: () => watches.queue.size === 0 && !watches.state.isHeld && watches.state.token !== '',
    write: () => checkpoints.put(name, toCheckpoint(watches, follower)),
    ...{ checkpointMs, onError },
  });
  let isOpen = false;
  let stalled: string | undefined;

  /** Resumes at the newest checkpoint of this log, or at the end of the dataset without one. */
  async function open(list: readonly Watch[]): Promise<void> {
    const saved = await checkpoints.read(name);
    const entry = saved && (await log.read(saved.position));
    if (saved === undefined || entry?.token !== saved.token) {
      const end = await source.end();
      follower.resumeAt(end);
      watches.resume({ isHeld: end.isHeld, token: end.token });
    } else {
      follower.resumeAt(saved);
      saver.resumeAt(saved.position);
      restoreCheckpoint(saved, { watches: list, source, into: watches });
    }
    isOpen = true;
  }

  /** Initializes a watch, unless an import holds the dataset: its rows do not show the changes that are held back. */
  async function initialize(watch: Watch): Promise<void> {
    await follower.catchUp();
    const before = watches.active.get(watch.id);
    const names = before?.observer.names() ?? [];
    const at = { position: follower.position, emit: watches.emitterOf(watch.id), beat, names };
    const initialized = watches.state.isHeld ? undefined : await source.initialize(watch, at);
    if (initialized === undefined) return;
    const { declared, ...state } = initialized;
    watches.resume({ declared });
    if (before !== undefined) state.machine.takeOver(before.machine.gaps);
    if (watch.status.state === 'paused') state.machine.pause();
    watches.add({ watch, ...state });
    saver.markDirty();
  }

  async function update(list: readonly Watch[]): Promise<void> {
    if (!isOpen) await open(list);
    watches.retain(list);
    for (const watch of list) if (!watches.edit(watch)) await initialize(watch);
  }

  async function publishEvents(): Promise<void> {
    const { queue } = watches;
    for (let published = 0; published < EVENTS_PER_TURN && queue.size > 0;) {
      const batch = queue.nextBatch(EVENTS_PER_TURN - published, now);
      await publish(batch);
      queue.remove(batch.length);
      published += batch.length;
      beat();
    }
  }

  /** Reads the log once and emits the events that follow. @returns whether there is more to publish now */
  async function turn(list: readonly Watch[]): Promise<boolean> {
    try {
      await update(list);
      await saver.saveWhenDue(); // before new events, which a checkpoint cannot hold
      await follower.catchUp();
      watches.advance(logTime());
      await proveSilence();
      await publishEvents();
      stalled = undefined;
      await saver.saveWhenDue();
    } catch (err) {
      stalled = err instanceof SlipwayError ? err.code : 'internal';
      onError(err);
    }
    return watches.queue.size > 0;
  }

  return {
    name,
    turn,
    save: saver.save,
    stateOf: ({ id }: Watch): WatchState =>
      toWatchState(watches.active.get(id), { log: follower, stalled, now: now() }),
  };
}
export type WatchedDataset = ReturnType<typeof createWatchedDataset>;
