import { callsSince, type CallsReport, sumOfCalls } from '../../lifecycle/kinds/revision-calls.js';
import type { CallsOfBoth } from './rollout-rules.js';

/** What each gateway counted of one deployment, by generation. */
export type CallsByGateway = ReadonlyMap<string, CallsReport[string]>;

interface Sample {
  atMs: number;
  calls: CallsByGateway;
}

/** Longer ago counts only while there is too little. */
const SPAN_MS = 60_000;
const KEPT_MS = SPAN_MS + 10_000;
const ENOUGH = 100;

/** The calls of two revisions in spans of time, from samples of what gateways counted. The first sample is where it begins. */
export function createCallsWindow({ stable, candidate }: { stable: number; candidate: number }) {
  let first: Sample | undefined;
  let samples: Sample[] = [];

  const between = (now: Sample, before?: Sample): CallsOfBoth => {
    const of = (generation: number) =>
      sumOfCalls(
        [...now.calls].flatMap(([gateway, known]) => {
          const calls = known[generation];
          return calls === undefined ? [] : [callsSince(calls, before?.calls.get(gateway)?.[generation])];
        }),
      );
    return { stable: of(stable), candidate: of(candidate) };
  };

  return {
    add(atMs: number, calls: CallsByGateway): void {
      first ??= { atMs, calls };
      samples = [...samples.filter((sample) => atMs - sample.atMs < KEPT_MS), { atMs, calls }];
    },

    /** The calls of the last milliseconds. */
    last(ms: number): CallsOfBoth {
      const now = samples.at(-1);
      if (now === undefined) return between({ atMs: 0, calls: new Map() });
      const before = samples.findLast(({ atMs }) => now.atMs - atMs >= ms) ?? first;
      return between(now, before);
    },

    /** The calls since the beginning. */
    all(): CallsOfBoth {
      return this.last(Infinity);
    },

    /**
     * The calls by which both are compared: of the last minute if those are enough. A stable revision that got none lately
     * is known by all that it ever got.
     */
    span(): CallsOfBoth {
      const minute = this.last(SPAN_MS);
      const { candidate: own, stable: other } = minute.candidate.requests >= ENOUGH ? minute : this.all();
      const now = samples.at(-1);
      return { candidate: own, stable: now && other.requests < ENOUGH ? between(now).stable : other };
    },
  };
}
