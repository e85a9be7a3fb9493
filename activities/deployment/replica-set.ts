import type { Replica, Rest } from '../../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { failureIn } from '../../platform/kinds/reasons.js';
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
  /** Its pause or removal under way. */
  settling?: Promise<void> | undefined;
  /** The last act on it failed. */
  isSkipped?: boolean;
}

export interface ReplicaSetOptions extends WatchOptions {
  /** Called when acts on one replica begin to fail, and the others are acted on. */
  onSkipped?: ((replica: string, err: unknown) => void) | undefined;
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

  /** Acts on one replica of several: the engine may fail for it alone, which is reported once. */
  async function actOn(member: Member, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
      member.isSkipped = false;
    } catch (err) {
      options.signal.throwIfAborted();
      if (!member.isSkipped && !endsSupervision(err)) options.onSkipped?.(member.watch.name, err);
      member.isSkipped = true;
      throw err;
    }
  }

  async function raise(index: number): Promise<void> {
    await members.get(index)?.settling;
    const member = members.get(index);
    if (member?.state === 'serving') return;
    // A replica that leaves still runs, and a paused one is the supervisor's own.
    if (member === undefined) await options.mayRestart();
    const others = watched('serving').length;
    const raised = member ?? enter(index, 'serving');
    if (member?.state !== 'leaving') {
      await actOn(raised, raised.watch.start).catch((err: unknown) => {
        // Beside others, a look starts a new one again.
        if (member !== undefined || others === 0 || endsSupervision(err)) throw err;
      });
    }
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
      const ready = new Map<number, Replica | undefined>();
      const looks = watched('serving').map(([index, member]) =>
        actOn(member, async () => ready.set(index, await member.watch.look())),
      );
      // Each comes to its end: a replica that cannot be started keeps no other one from its restart.
      const failed = (await Promise.allSettled(looks)).filter((end) => end.status === 'rejected');
      for (const { reason } of failed) if (endsSupervision(reason)) throw reason;
      // The engine fails for all of them: the next attempt comes after a pause, and Temporal shows why.
      if (failed[0] !== undefined && failed.length === looks.length) throw failed[0].reason;
      return [...ready.values()].filter((replica) => replica !== undefined);
    },

    /**
     * Pauses or stops the leaving replicas that have no calls any more; stops one that was paused for `stopMs`, or whose
     * memory others need. Nothing waits for that: one that cannot be removed must not keep the others from a look.
     */
    settle(isDrained: (replica: string) => Promise<boolean>, stopMs: number): void {
      const settleOne = async (index: number, member: Member): Promise<void> => {
        const restedMs = Date.now() - member.sinceMs;
        const { name } = member.watch;
        if (member.state === 'paused') {
          return restedMs > stopMs || pausedMemory.isBeyond(name) ? drop(index, member) : undefined;
        }
        if (restedMs <= LONGEST_DRAIN_MS && !(await isDrained(name))) return;
        // Calls came back meanwhile, or another attempt has taken over.
        if (member.state !== 'leaving' || options.signal.aborted) return;
        await (index > 0 ? drop(index, member) : pause(member));
      };
      for (const [index, member] of [...watched('leaving'), ...watched('paused')]) {
        member.settling ??= actOn(member, () => settleOne(index, member))
          .catch(() => undefined)
          .finally(() => (member.settling = undefined));
      }
    },

    rest: (): Rest => (members.has(0) ? 'paused' : 'stopped'),
    isLeaving: (): boolean => watched('leaving').length > 0,
    async end(): Promise<void> {
      const endOne = async ({ watch, settling }: Member): Promise<void> => {
        await settling;
        pausedMemory.remove(watch.name);
        await watch.end();
      };
      await Promise.all([...members.values()].map(endOne));
    },
  };
}

/** A replica that ends again and again, and a newer attempt that has the route: no other replica changes that. */
const endsSupervision = (err: unknown): boolean =>
  failureIn(err)?.reason === 'CrashLoop' || (err instanceof SlipwayError && err.code === 'conflict');
