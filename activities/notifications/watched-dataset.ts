import { SlipwayError, unreachable } from '../../platform/kinds/errors.js';
import type { Change } from '../../reference/dataset/change.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { Watch } from '../../notifications/kinds/watch.js';
import { createLogFollower } from '../../platform/stores/log-follower.js';
import type { StreamLog } from '../../platform/stores/stream-log.js';
import type { WatchCheckpoints } from '../../notifications/stores/watch-checkpoints.js';
import type { WatchState } from '../../notifications/stores/watch-states.js';
import {
  createGapMachine,
  type GapMachine,
  type Observation,
  type GapEvent,
} from '../../notifications/watches/gap-machine.js';
import { type Observer, THE_SET } from '../../notifications/watches/observer.js';
import { type EntityGapEvent, toWatchEvent } from '../../notifications/events/watch-event.js';
import type { WatchSource } from './watch-source.js';

export interface WatchedDatasetOptions {
  name: string;
  log: StreamLog<StreamEntry>;
  ground: WatchSource;
  checkpoints: WatchCheckpoints;
  /** Takes events that were not taken before, each about another entity. */
  publish: (events: PlatformEvent[]) => Promise<void>;
  onError: (err: unknown) => void;
  /** A clock that all evaluators share: one that runs ahead must not push the log's time. */
  sharedTime: () => Promise<Date>;
  beat?: () => void;
  now?: () => Date;
  heartbeatMs?: number;
  checkpointMs?: number;
}

interface Watched {
  watch: Watch;
  machine: GapMachine;
  observer: Observer;
  /** Entries up to here are in it. */
  position: number;
  /** Observations that an import holds back, by entity. */
  held: Map<bigint, Observation>;
}

/** Notices that are stored before others have their turn. */
const TOLD_AT_ONCE = 50;
const SAVE_AGAIN_MS = 1_000;

/** Settings that what is known of entities depends on: with others everything is looked up anew. */
const basisOf = ({ uid, spec: { scope, each, counts, arm_at } }: Watch): string =>
  JSON.stringify([uid, scope, each, counts, arm_at]);

/**
 * The watches of one dataset, or of the events of the platform: its log is read once for all of them, and its time is
 * their only clock. What is told has an id that follows from the log, so it is all the same how often it is found, and by
 * how many.
 */
export function createWatchedDataset(options: WatchedDatasetOptions) {
  const { name, log, ground, checkpoints, publish, onError, beat = () => {}, now = () => new Date() } = options;
  const { sharedTime, heartbeatMs = 1_000, checkpointMs = 60_000 } = options;
  const watched = new Map<string, Watched>();
  /** Found, in the order of due times, and not stored yet. */
  const told: { watch: Watch; told: EntityGapEvent }[] = [];
  let declared: DeclaredFields = { fields: {} };
  let token = '';
  let isHeld = false;
  let isOpen = false;
  let stalled: string | undefined;
  let [beatAt, savedAt, savedPosition] = [-Infinity, performance.now(), 0];
  /** Something is watched that no checkpoint knows: whoever comes next would begin with what is there then. */
  let isSaveDue = false;
  let savesFrom = -Infinity;

  /** By how much the shared clock is ahead of the own one. */
  let offsetMs = 0;
  const sharedNow = (): Date => new Date(now().getTime() + offsetMs);
  const follower = createLogFollower<StreamEntry>({ log, apply, now: sharedNow });
  const logTime = (): number => Date.parse(follower.at);

  function apply(entry: StreamEntry): void {
    ({ token } = entry);
    if (entry.kind === 'schema') declared = { fields: entry.spec.fields, generation: entry.schema };
    const at = Date.parse(entry.at);
    for (const each of watched.values()) {
      if (entry.position <= each.position) continue;
      each.position = entry.position;
      each.machine.advance(at);
      take(each, entry, at);
    }
    if (entry.kind === 'hold') isHeld = true;
    if (entry.kind === 'release' || entry.kind === 'discard' || entry.kind === 'dropped') isHeld = false;
  }

  function take(each: Watched, entry: StreamEntry, at: number): void {
    const { machine, observer, held } = each;
    switch (entry.kind) {
      case 'changes':
        for (const change of entry.changes) see(each, change, entry);
        return;
      case 'release':
        for (const seen of held.values()) machine.observe(seen, at);
        return held.clear();
      case 'discard':
        return held.clear();
      case 'schema':
        return observer.declare(entry.spec);
      case 'dropped':
        held.clear();
        return machine.closeAll(at);
      case 'event': {
        const heard = observer.observeEvent(entry);
        return heard && machine.observe(heard, at);
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

  function see({ machine, observer, held }: Watched, change: Change, { position, at }: StreamEntry): void {
    if (change.refused === true) return;
    const seen = observer.observe(change, position);
    if (seen === undefined) return;
    if (!isHeld) return machine.observe(seen, Date.parse(at));
    const before = held.get(seen.id);
    if (before !== undefined && seen.version <= before.version) return;
    held.set(seen.id, { ...seen, counts: seen.counts || before?.counts === true });
  }

  const tellOf = (id: string) => (found: GapEvent) => {
    const each = watched.get(id);
    if (each === undefined) return;
    told.push({
      watch: each.watch,
      told: { ...found, entity: each.observer.nameOf(found.id), generation: declared.generation },
    });
  };

  /** From the newest checkpoint of this log on; without one, from where the dataset is now. */
  async function open(watches: readonly Watch[]): Promise<void> {
    const saved = await checkpoints.read(name);
    const entry = saved && (await log.read(saved.position));
    if (saved === undefined || entry?.token !== saved.token) {
      const end = await ground.end();
      follower.resumeAt(end);
      ({ isHeld, token } = end);
    } else {
      const { fields, generation } = saved;
      declared = { fields, ...(generation !== undefined && { generation }) };
      ({ token } = saved);
      follower.resumeAt(saved);
      savedPosition = saved.position;
      let start = 0;
      for (const { id, basis, length, names } of saved.watches) {
        const watch = watches.find((each) => each.id === id && basisOf(each) === basis);
        if (watch !== undefined) {
          const machine = createGapMachine(watch.spec, tellOf(id));
          machine.decode(saved.gaps.subarray(start, start + length));
          if (watch.status.state === 'paused') machine.pause();
          const observer = ground.observe(watch, fields, names);
          watched.set(id, { watch, machine, observer, position: saved.position, held: new Map() });
        }
        start += length;
      }
    }
    isOpen = true;
  }

  /** @returns false while an import holds the dataset: what it holds back is in no row */
  async function arm(watch: Watch, before: Watched | undefined): Promise<boolean> {
    await follower.catchUp();
    const { position } = follower;
    const names = before?.observer.names() ?? [];
    const at = { position, tell: tellOf(watch.id), beat, names };
    const armed = isHeld ? undefined : await ground.arm(watch, at);
    if (armed === undefined) return false;
    ({ declared } = armed);
    if (before !== undefined) armed.machine.takeOver(before.machine.gaps);
    if (watch.status.state === 'paused') armed.machine.pause();
    watched.set(watch.id, { watch, ...armed, held: new Map() });
    isSaveDue = true;
    return true;
  }

  /** Brings what is watched in line with the settings. */
  async function update(watches: readonly Watch[]): Promise<void> {
    if (!isOpen) await open(watches);
    const ids = new Set(watches.map(({ id }) => id));
    for (const id of watched.keys()) if (!ids.has(id)) watched.delete(id);
    for (const watch of watches) {
      const known = watched.get(watch.id);
      if (known === undefined || basisOf(known.watch) !== basisOf(watch)) await arm(watch, known);
      else if (known.watch.revision !== watch.revision) {
        known.machine.edit(watch.spec);
        if (watch.status.state === 'paused') known.machine.pause();
        else known.machine.resume();
        watched.set(watch.id, { ...known, watch });
      }
    }
  }

  const nextDue = (): number => Math.min(Infinity, ...[...watched.values()].map(({ machine }) => machine.nextDue()));

  /** Something is due and nothing has happened since: the log itself has to say so, or nobody may. */
  async function proveSilence(): Promise<void> {
    const due = nextDue();
    // Asked only when it seems to be time, or has been for long: clocks drift slowly.
    const isSoon = due < now().getTime() || due < sharedNow().getTime();
    if (!isSoon || due < logTime() || performance.now() - beatAt < heartbeatMs) return;
    beatAt = performance.now();
    offsetMs = (await sharedTime()).getTime() - now().getTime();
    if (due >= sharedNow().getTime()) return;
    await follower.append(() => (nextDue() < logTime() ? undefined : { kind: 'heartbeat' }));
  }

  /** The next of what was found, each about another entity. */
  function nextBatch(most: number): PlatformEvent[] {
    const batch = new Map<string, PlatformEvent>();
    for (const next of told) {
      const event = toWatchEvent(next.watch, next.told, sharedNow());
      if (batch.size === most || batch.has(event.subject)) break;
      batch.set(event.subject, event);
    }
    return [...batch.values()];
  }

  async function store(): Promise<void> {
    for (let stored = 0; stored < TOLD_AT_ONCE && told.length > 0;) {
      const batch = nextBatch(TOLD_AT_ONCE - stored);
      await publish(batch);
      told.splice(0, batch.length);
      stored += batch.length;
      beat();
    }
  }

  async function save(): Promise<void> {
    if (told.length > 0 || isHeld || token === '' || (follower.position === savedPosition && !isSaveDue)) return;
    const all = [...watched.values()];
    const parts = all.map(({ machine }) => machine.encode());
    const watches = all.map(({ watch, observer }, index) => ({
      id: watch.id,
      basis: basisOf(watch),
      length: parts[index]?.length ?? 0,
      names: observer.names(),
    }));
    const { position, at } = follower;
    await checkpoints.put(name, { position, at, token, ...declared, watches, gaps: Buffer.concat(parts) });
    [savedAt, savedPosition, isSaveDue] = [performance.now(), position, false];
  }

  /** Judging goes on while there is nowhere to save to. */
  async function saveWhenDue(): Promise<void> {
    const at = performance.now();
    if (at < savesFrom || (!isSaveDue && at - savedAt < checkpointMs)) return;
    await save().catch((err: unknown) => {
      savesFrom = at + SAVE_AGAIN_MS;
      onError(err);
    });
  }

  /** One look at the log, and what follows from it. @returns whether there is more to do at once */
  async function turn(watches: readonly Watch[]): Promise<boolean> {
    try {
      await update(watches);
      await saveWhenDue(); // before something is found that is not stored yet
      await follower.catchUp();
      for (const { machine } of watched.values()) machine.advance(logTime());
      await proveSilence();
      await store();
      stalled = undefined;
      await saveWhenDue();
    } catch (err) {
      stalled = err instanceof SlipwayError ? err.code : 'internal';
      onError(err);
    }
    return told.length > 0;
  }

  return {
    name,
    turn,
    save,
    stateOf({ id }: Watch): WatchState {
      const each = watched.get(id);
      const due = each?.machine.nextDue() ?? Infinity;
      const isBehind = stalled !== undefined && due < sharedNow().getTime();
      const ofSet = each?.watch.spec.each === 'set' ? each.machine.view(THE_SET) : undefined;
      return {
        state: each === undefined ? 'arming' : isBehind ? 'unknown' : 'watching',
        position: follower.position,
        log_at: follower.at === '' ? null : follower.at,
        armed: each?.machine.armed() ?? 0,
        next_due_at: due === Infinity ? null : new Date(due).toISOString(),
        ...(ofSet && { set: { state: ofSet.state, gap: ofSet.gap, since: ofSet.since } }),
        ...(stalled !== undefined && { note: `the log does not move: ${stalled}` }),
        updated_at: now().toISOString(),
      };
    },
  };
}
export type WatchedDataset = ReturnType<typeof createWatchedDataset>;
