import { Pool } from 'undici';
import type { Endpoint, Replica } from '../lifecycle/kinds/endpoint.js';

/** One request's place at one replica; `release` exactly once. */
export interface Lease {
  replica: Replica;
  pool: Pool;
  /** How long the call waited for a deployment that rested. */
  coldStartMs?: number;
  /** `failed`: the replica could not be reached or broke off; others come first for a moment. */
  release(outcome: 'answered' | 'failed'): void;
}

export interface Replicas {
  /** The replica with the fewest requests in flight; those of `tried` only when there is no other. None while all are full. */
  pick(endpoint: Endpoint, tried: ReadonlySet<string>): Lease | undefined;
  /** Closes the connections to replicas that no route names any more, when their requests are done. */
  retain(endpoints: readonly Endpoint[]): void;
  /**
   * Replicas that no route names any more and that answered a request since the last report: one whose last request has
   * ended is reported once more, so that its calls are counted when it is not.
   */
  draining(): string[];
  close(): Promise<void>;
}

interface State {
  name: string;
  pool: Pool;
  inFlight: number;
  failedAt: number;
}

/** How long a replica that failed is asked last. */
const COOL_DOWN_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;

export function createReplicas({ now = Date.now }: { now?: () => number } = {}): Replicas {
  const states = new Map<string, State>();
  /** States of replicas that no route names any more, until a report after their last request. */
  const left = new Set<State>();
  let turn = 0;

  function stateOf({ name, url }: Replica): State {
    const known = states.get(url);
    if (known !== undefined) return known;
    // The deadline of a request is one timer of ours; undici's own would be two more per request.
    const pool = new Pool(url, { connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: 0, bodyTimeout: 0 });
    const state = { name, pool, inFlight: 0, failedAt: -Infinity };
    states.set(url, state);
    return state;
  }

  return {
    pick({ replicas, concurrency = Infinity }, tried) {
      let isOtherFull = false;
      let best: { replica: Replica; state: State; rank: number } | undefined;
      turn += 1; // equals take turns
      for (let step = 0; step < replicas.length; step += 1) {
        const replica = replicas[(turn + step) % replicas.length];
        if (replica === undefined) continue;
        const state = stateOf(replica);
        if (state.inFlight >= concurrency) {
          isOtherFull ||= !tried.has(replica.url);
          continue;
        }
        const resting = now() - state.failedAt < COOL_DOWN_MS;
        const rank = state.inFlight + (tried.has(replica.url) ? 2e6 : 0) + (resting ? 1e6 : 0);
        if (best === undefined || rank < best.rank) best = { replica, state, rank };
      }
      if (best === undefined || (isOtherFull && tried.has(best.replica.url))) return undefined;
      const { replica, state } = best;
      state.inFlight += 1;
      return {
        replica,
        pool: state.pool,
        release(outcome) {
          state.inFlight -= 1;
          if (outcome === 'failed') state.failedAt = now();
        },
      };
    },
    retain(endpoints) {
      const named = new Set(
        endpoints.flatMap(({ replicas, candidate }) =>
          [...replicas, ...(candidate?.endpoint.replicas ?? [])].map(({ url }) => url),
        ),
      );
      for (const [url, state] of states) {
        if (named.has(url)) continue;
        states.delete(url);
        if (state.inFlight > 0) left.add(state);
        void state.pool.close();
      }
    },
    draining() {
      const names = [...left].map(({ name }) => name);
      for (const state of left) if (state.inFlight === 0) left.delete(state);
      return names;
    },
    async close() {
      await Promise.all([...states.values()].map(({ pool }) => pool.close()));
    },
  };
}
