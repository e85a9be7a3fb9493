import type { Replica, Rest } from '../../lifecycle/kinds/endpoint.js';
import { createPausedMemory, type PausedMemory } from './paused-memory.js';
import { findReplicas } from './replica.js';
import { createReplicaWatch, type ReplicaWatch, type WatchOptions } from './replica-watch.js';

/** A replica whose calls last longer is stopped all the same. */
const LONGEST_DRAIN_MS = 600_000;

interface Member {
  watch: ReplicaWatch;
  /** `leaving`: no route names it, its calls may still be in progress. */
  state: 'serving' | 'leaving' | 'paused';
  sinceMs: number;
}

export interface ReplicaSetOptions extends WatchOptions {
  /** Shared by all deployments; without it, paused replicas may hold any memory. */
  pausedMemory?: PausedMemory;
}

/** The replicas of a revision, numbered from 0: the highest numbers leave first, and number 0 is paused before it is stopped. */
export function createReplicaSet({ pausedMemory = createPausedMemory(), ...options }: ReplicaSetOptions) {
  const members = new Map<number, Member>();
  const watched = (state: Member['state']): [number, Member][] =>
    [...members].filter(([, each]) => each.state === state);
  const enter = (index: number, state: Member['state']): Member => {
    const member = { watch: createReplicaWatch(options, index), state, sinceMs: Date.now() };
    members.set(index, member);
    return member;
  };
  const move = (member: Member, state: Member['state']): void => {
    if (member.state === 'paused') pausedMemory.remove(member.watch.name);
    member.state = state;
    member.sinceMs = Date.now();
  };

  async function raise(index: number): Promise<void> {
    const member = members.get(index);
    if (member?.state === 'serving') return;
    // A replica that leaves still runs, and a paused one is the supervisor's own.
    if (member === undefined) await options.mayRestart();
    if (member?.state !== 'leaving') await (member ?? enter(index, 'serving')).watch.start();
    if (member !== undefined) move(member, 'serving');
  }

  async function drop(index: number, { watch }: Member): Promise<void> {
    await watch.remove();
    pausedMemory.remove(watch.name);
    members.delete(index);
    await watch.end();
  }

  async function pause(member: Member): Promise<void> {
    const { engine, revision } = options;
    const stats = await engine.stats({ name: member.watch.name }).catch(() => undefined);
    await member.watch.pause();
    move(member, 'paused');
    pausedMemory.add(member.watch.name, stats?.memoryBytes ?? revision.limits.memoryBytes);
  }

  return {
    /**
     * Takes over the replicas that an earlier supervisor left; of those beyond `count`, the ones below `most` stay.
     * @returns the number of replicas
     */
    async adopt(count: number, most: number): Promise<number> {
      const found = await findReplicas(options.engine, options.revision);
      const adopted = Math.max(count, Math.min(most, (found.at(-1) ?? -1) + 1));
      for (let index = 0; index < adopted; index += 1) enter(index, 'serving');
      for (const index of found) if (!members.has(index)) enter(index, 'leaving');
      return adopted;
    },

    /** Starts what is missing of `count` replicas; more than that leave. @returns whether anything changed */
    async resize(count: number): Promise<boolean> {
      const missing = Array.from({ length: count }, (_, index) => index).filter(
        (index) => members.get(index)?.state !== 'serving',
      );
      const surplus = watched('serving').filter(([index]) => index >= count);
      for (const [, member] of surplus) move(member, 'leaving');
      await Promise.all(missing.map(raise));
      return missing.length + surplus.length > 0;
    },

    /** The replicas that take calls. */
    async look(): Promise<Replica[]> {
      const looks = await Promise.all(watched('serving').map(([, { watch }]) => watch.look()));
      return looks.filter((replica) => replica !== undefined);
    },

    /**
     * Pauses or stops the leaving replicas that have no calls any more; stops one that was paused for `stopMs`, or whose
     * memory others need.
     */
    async settle(isDrained: (replica: string) => Promise<boolean>, stopMs: number): Promise<void> {
      for (const [index, member] of watched('leaving')) {
        const isOver = Date.now() - member.sinceMs > LONGEST_DRAIN_MS;
        if (!isOver && !(await isDrained(member.watch.name))) continue;
        await (index > 0 ? drop(index, member) : pause(member));
      }
      for (const [index, member] of watched('paused')) {
        const isOver = Date.now() - member.sinceMs > stopMs;
        if (isOver || pausedMemory.isBeyond(member.watch.name)) await drop(index, member);
      }
    },

    rest: (): Rest => (members.has(0) ? 'paused' : 'stopped'),
    isLeaving: (): boolean => watched('leaving').length > 0,
    async end(): Promise<void> {
      const watches = [...members.values()].map(({ watch }) => watch);
      for (const { name } of watches) pausedMemory.remove(name);
      await Promise.all(watches.map((watch) => watch.end()));
    },
  };
}
