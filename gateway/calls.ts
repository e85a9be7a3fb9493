import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { type CallsReport, latencyBucket, noCalls, type RevisionCalls } from '../lifecycle/kinds/revision-calls.js';

/** How long the calls of a rollout are reported after its end: who ended it reads how many there were. */
const AFTERWARDS_MS = 60_000;

type Served = Pick<Endpoint, 'id' | 'generation'>;
export type Calls = ReturnType<typeof createCalls>;

/** Counts the calls of each revision, for rollouts and for whoever waits for the last call of a revision. */
export function createCalls({ now = Date.now }: { now?: () => number } = {}) {
  const counts = new Map<string, Map<number, RevisionCalls>>();
  /** By deployment: generations that have a route, and until when its calls are reported. */
  let routed = new Map<string, Set<number>>();
  const reportedUntil = new Map<string, number>();

  function countOf({ id, generation }: Served): RevisionCalls {
    const ofDeployment = counts.get(id) ?? new Map<number, RevisionCalls>();
    counts.set(id, ofDeployment);
    const count = ofDeployment.get(generation) ?? noCalls();
    ofDeployment.set(generation, count);
    return count;
  }

  return {
    /** Begins a call; the returned function ends it. */
    begin(served: Served) {
      const count = countOf(served);
      count.inFlight += 1;
      return (code: number | string, secondsBehind: number | undefined): void => {
        count.inFlight -= 1;
        if (secondsBehind === undefined) {
          // Broken off, or not answered in time. Any other answer is the gateway's own: no fault of the model.
          if (code === 502 || code === 504) {
            count.requests += 1;
            count.failed += 1;
          }
          return;
        }
        count.requests += 1;
        if (Number(code) >= 500) count.failed += 1;
        const bucket = latencyBucket(secondsBehind * 1_000);
        count.latency[bucket] = (count.latency[bucket] ?? 0) + 1;
      };
    },

    /** Takes a new route table, and drops the counts of what it no longer needs. */
    retain(endpoints: readonly Endpoint[]): void {
      routed = new Map(
        endpoints.map(({ id, generation, candidate }) => {
          if (candidate !== undefined) reportedUntil.set(id, now() + AFTERWARDS_MS);
          return [id, new Set([generation, ...(candidate ? [candidate.endpoint.generation] : [])])];
        }),
      );
      for (const [id, until] of reportedUntil) if (until < now()) reportedUntil.delete(id);
      for (const [id, generations] of counts) {
        for (const [generation, { inFlight }] of generations) {
          const isNeeded = inFlight > 0 || routed.get(id)?.has(generation) || reportedUntil.has(id);
          if (!isNeeded) generations.delete(generation);
        }
        if (generations.size === 0) counts.delete(id);
      }
    },

    /** The calls of deployments under rollout, and those that go on at revisions without a route. */
    report(): CallsReport {
      const report: CallsReport = {};
      for (const [id, generations] of counts) {
        const wanted = [...generations].filter(
          ([generation, { inFlight }]) => reportedUntil.has(id) || (inFlight > 0 && !routed.get(id)?.has(generation)),
        );
        if (wanted.length > 0) report[id] = Object.fromEntries(structuredClone(wanted));
      }
      return report;
    },
  };
}
