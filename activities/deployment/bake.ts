import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { failureIn, runFailed } from '../../platform/kinds/reasons.js';
import type { LogStore } from '../../platform/stores/logs.js';
import { type CallsByGateway, createCallsWindow } from './calls-window.js';
import { FAILING_MS, judge, LEAST_REQUESTS } from './rollout-rules.js';
import { superviseReplicas } from './supervisor.js';

/** The result of a step of a rollout. */
export type Verdict =
  | { outcome: 'passed' }
  /** The candidate got too few calls. */
  | { outcome: 'quiet'; message: string }
  | { outcome: 'breached'; message: string };

export interface Bake {
  engine: EngineDriver;
  logs: LogStore;
  stable: Revision;
  candidate: Revision;
  /** Absent: until it is canceled. */
  seconds?: number | undefined;
  /** For how long an earlier attempt has watched already. */
  bakedMs: number;
  readySeconds: number;
  replicaDiskBytes?: number | undefined;
  pollMs: number;
  signal: AbortSignal;
  /** Called often, with the time that was watched so far. */
  beat: (bakedMs: number) => void;
  /** Sends calls to these replicas. @throws when a newer attempt has the route */
  publish: (ready: { stable: Replica[]; candidate: Replica[] }) => Promise<void>;
  holdsRoute: () => Promise<boolean>;
  /** @throws when a newer attempt has the route */
  requireRoute: () => Promise<void>;
  /** Whether all gateways send calls by the weights of this step. */
  allServe: () => Promise<boolean>;
  readCalls: () => Promise<CallsByGateway>;
}

/** A candidate that ends so often is not started again. */
const MOST_EXITS = 2;
/** A process that was stopped meanwhile has watched no more than this. */
const MOST_TURN_MS = 5_000;

/** Keeps the replicas of both revisions running, and judges the candidate by its calls. */
export async function bake(step: Bake): Promise<Verdict> {
  const ended = new AbortController();
  const signal = AbortSignal.any([step.signal, ended.signal]);
  const state = { bakedMs: step.bakedMs, unreadySince: undefined as number | undefined };
  const window = createCallsWindow({ stable: step.stable.ref.generation, candidate: step.candidate.ref.generation });
  window.add(Date.now(), await step.readCalls());
  let exits = 0;
  const supervise = createSupervision(step, signal, () => step.beat(state.bakedMs));
  const work = [
    supervise('stable', step.requireRoute, () => undefined),
    supervise(
      'candidate',
      async () => {
        exits += 1;
        const message = `a replica of the candidate ended ${exits} times`;
        if (exits >= MOST_EXITS) throw runFailed({ reason: 'CrashLoop', message });
        await step.requireRoute();
      },
      (ready) => (state.unreadySince = ready.length > 0 ? undefined : (state.unreadySince ?? Date.now())),
    ),
    watch(step, { signal, state, window }),
  ];
  try {
    return await Promise.race(work);
  } finally {
    ended.abort();
    await Promise.allSettled(work);
  }
}

/** Supervises both revisions; one route has the replicas of both, so neither is published before both were looked at. */
function createSupervision(step: Bake, signal: AbortSignal, beat: () => void) {
  const ready: { stable?: Replica[]; candidate?: Replica[] } = {};
  let writing = Promise.resolve();
  const publish = (): Promise<void> => {
    const { stable, candidate } = ready;
    if (stable === undefined || candidate === undefined) return Promise.resolve();
    // One after the other: a row that is older must not be written over a newer one.
    writing = writing.catch(() => undefined).then(() => step.publish({ stable, candidate }));
    return writing;
  };

  return async function supervise(
    which: 'stable' | 'candidate',
    mayRestart: () => Promise<void>,
    onReady: (replicas: Replica[]) => void,
  ): Promise<Verdict> {
    const { engine, logs, readySeconds, replicaDiskBytes: diskBytes, pollMs } = step;
    const revision = step[which];
    try {
      return await superviseReplicas({
        ...{ engine, logs, revision, readySeconds, diskBytes, pollMs: () => pollMs, signal, beat, mayRestart },
        onChange: async (replicas) => {
          onReady(replicas);
          ready[which] = replicas;
          await publish();
        },
        holdRoute: async () => {
          if (!(await step.holdsRoute())) await publish();
        },
      });
    } catch (err) {
      const failure = failureIn(err);
      if (failure === undefined) throw err;
      if (which === 'candidate') return { outcome: 'breached', message: failure.message };
      // Nothing to go back to: calls go to the candidate, which is judged all the same.
      ready.stable = [];
      await publish();
      signal.throwIfAborted();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }
  };
}

interface Watch {
  signal: AbortSignal;
  state: { bakedMs: number; unreadySince: number | undefined };
  window: ReturnType<typeof createCallsWindow>;
}

/** Looks at the calls until the time is over. Only time counts in which all gateways send calls by the weights. */
async function watch(step: Bake, { signal, state, window }: Watch): Promise<Verdict> {
  const limitMs = step.seconds === undefined ? Infinity : step.seconds * 1_000;
  let [slow, isServed, at] = [0, false, Date.now()];
  for (;;) {
    await sleep(step.pollMs, undefined, { signal });
    const now = Date.now();
    if (isServed) state.bakedMs += Math.min(now - at, MOST_TURN_MS);
    isServed ||= await step.allServe();
    at = now;
    window.add(now, await step.readCalls());
    const unreadyMs = state.unreadySince === undefined ? 0 : now - state.unreadySince;
    const [recent, span] = [window.last(FAILING_MS), window.span()];
    const found = judge({ recent, span, slowBefore: slow, unreadyMs });
    if (found.breach !== undefined) return { outcome: 'breached', message: found.breach };
    slow = found.slow;
    if (state.bakedMs < limitMs) continue;
    const { requests } = window.all().candidate;
    if (requests >= LEAST_REQUESTS) return { outcome: 'passed' };
    if (state.bakedMs < 2 * limitMs) continue; // once as long again
    const message = `the candidate got ${requests} requests, ${LEAST_REQUESTS} are needed to judge it`;
    return { outcome: 'quiet', message };
  }
}
