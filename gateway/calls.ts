import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { type CallsReport, latencyBucket, noCalls, type RevisionCalls } from '../lifecycle/kinds/revision-calls.js';

/** How long the calls of a rollout are reported after its end: who ended it reads how many there were. */
const AFTERWARDS_MS = 60_000;

type Served = Pick<Endpoint, 'id' | 'generation'>;
export type Calls = ReturnType<typeof createCalls>;

/** Counts the calls that each revision answered, for rollouts. */
export function createCalls({ now = Date.now }: { now?: () => number } = {}) {
  const counts = new Map<string, Map<number, RevisionCalls>>();
  /** By deployment: until when its calls are reported. */
  const reportedUntil = new Map<string, number>();

  function countOf({ id, generation }: Served): RevisionCalls {
    const ofDeployment = counts.get(id) ?? new Map<number, RevisionCalls>();
    counts.set(id, ofDeployment);
    const count = ofDeployment.get(generation) ?? noCalls();
    ofDeployment.set(generation, count);
    return count;
  }

  return {
    /** Counts a call that has ended; `secondsBehind` is the time of the model, absent without an answer of it. */
    count(served: Served, code: number | string, secondsBehind: number | undefined): void {
      // Broken off, or not answered in time. Any other answer is the gateway's own: no fault of the model.
      if (secondsBehind === undefined && code !== 502 && code !== 504) return;
      const count = countOf(served);
      count.requests += 1;
      if (Number(code) >= 500) count.failed += 1;
      if (secondsBehind === undefined) return;
      const bucket = latencyBucket(secondsBehind * 1_000);
      count.latency[bucket] = (count.latency[bucket] ?? 0) + 1;
    },

    /** Takes a new route table, and drops the counts of what it no longer needs. */
    retain(endpoints: readonly Endpoint[]): void {
      const routed = new Map(
        endpoints.map(({ id, generation, candidate }) => {
          if (candidate !== undefined) reportedUntil.set(id, now() + AFTERWARDS_MS);
          return [id, [generation, candidate?.endpoint.generation]];
        }),
      );
      for (const [id, until] of reportedUntil) if (until < now()) reportedUntil.delete(id);
      for (const [id, generations] of counts) {
        if (reportedUntil.has(id)) continue;
        for (const generation of generations.keys())
          if (!routed.get(id)?.includes(generation)) generations.delete(generation);
        if (generations.size === 0) counts.delete(id);
      }
    },

    /** The calls of deployments under rollout. */
    report: (): CallsReport =>
      Object.fromEntries(
        [...counts]
          .filter(([id]) => reportedUntil.has(id))
          .map(([id, generations]) => [id, Object.fromEntries(structuredClone([...generations]))]),
      ),
  };
}
