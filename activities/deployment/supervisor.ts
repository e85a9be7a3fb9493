import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica, Rest } from '../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { createReplicaSet, type ReplicaSetOptions } from './replica-set.js';
import type { Scaling } from './scaling.js';

/** How often the supervisor checks that the route is still its own. */
const HOLD_MS = 5_000;
/** Between two looks while a call waits for a replica. */
const AWAITED_MS = 20;
/** Between two looks at calls of replicas that leave. */
const DRAIN_MS = 500;

/** The replicas that there should be, and why there are none. */
export interface Aim {
  count: number;
  rest: Rest | undefined;
}

export interface Supervisor extends Omit<ReplicaSetOptions, 'onExit'> {
  pollMs: () => number;
  beat: () => void;
  /** Decides the number of replicas; without it, it is that of the revision. */
  scaling?: Scaling;
  /** A paused replica is stopped after so long. */
  stopMs?: number;
  /** Whether no gateway has calls at a replica that the route leaves out. */
  isDrained?: (replica: string) => Promise<boolean>;
  /** Called on every change of the number of replicas. */
  onCount?: (count: number) => void;
  /** Called on every change of the set of replicas that take requests, and once at the start. */
  onChange: (ready: Replica[], aim: Aim) => Promise<void>;
  /** Called every few seconds without a change. @throws when a newer attempt has the route */
  holdRoute: (ready: Replica[], aim: Aim) => Promise<void>;
  /** Called with the replicas that take requests, when calls wait for one. */
  onReady?: (ready: Replica[]) => void;
}

/**
 * Keeps the replicas of a revision running until `signal` aborts: restarts what ended (1 s to 60 s apart), replaces
 * what hangs, copies their logs, starts and stops them as the calls need. The replicas outlive the supervisor.
 * @throws run_failed, reason CrashLoop, after 5 exits within 5 minutes
 */
export async function superviseReplicas(supervisor: Supervisor): Promise<never> {
  const { revision, scaling, pollMs, signal, beat, onChange, holdRoute } = supervisor;
  const { onCount = () => undefined, onReady = () => undefined } = supervisor;
  const { isDrained = async () => false, stopMs = Infinity } = supervisor;
  const replicas = createReplicaSet({ ...supervisor, onExit: (reason) => scaling?.refuse(reason) });
  let ready: Replica[] = [];
  let aim: Aim = { count: scaling?.count ?? revision.replicas, rest: undefined };
  let known: string | undefined;
  let heldAt = 0;
  let lookAt = 0;
  try {
    const adopted = await replicas.adopt(aim.count, scaling || revision.suspended ? 0 : (revision.scale?.max ?? 0));
    for (;;) {
      signal.throwIfAborted();
      beat();
      const count = (await scaling?.decide(ready.length)) ?? adopted;
      const isResized = scaling !== undefined && (await replicas.resize(count));
      if (isResized) onCount(count);
      if (isResized || scaling?.isAwaited() || Date.now() >= lookAt) {
        ready = await replicas.look();
        // A probe that was aborted says nothing of its replica.
        signal.throwIfAborted();
        lookAt = Date.now() + pollMs();
      }
      // A deployment that wakes rests until it is ready.
      const isResting = ready.length === 0 && (count === 0 || aim.rest !== undefined);
      aim = { count, rest: isResting ? restOf(revision, replicas.rest()) : undefined };
      const shape = [aim.rest, ...ready.map(({ url }) => url)].join(' ');
      const isChanged = shape !== known;
      if (isChanged || Date.now() - heldAt > HOLD_MS) {
        await (isChanged ? onChange : holdRoute)(ready, aim);
        heldAt = Date.now();
      }
      known = shape;
      if (scaling?.isAwaited() && ready.length > 0) onReady(ready);
      replicas.settle(isDrained, stopMs);
      if (scaling === undefined) await sleep(pollMs(), undefined, { signal });
      else await scaling.sleep(pauseMs(scaling.isAwaited(), replicas.isLeaving(), lookAt - Date.now()), signal);
    }
  } finally {
    scaling?.close();
    await replicas.end();
  }
}

const restOf = ({ suspended }: Revision, rest: Rest): Rest => (suspended ? 'suspended' : rest);

function pauseMs(isAwaited: boolean, isLeaving: boolean, untilLookMs: number): number {
  if (isAwaited) return AWAITED_MS;
  return Math.max(0, isLeaving ? Math.min(DRAIN_MS, untilLookMs) : untilLookMs);
}
