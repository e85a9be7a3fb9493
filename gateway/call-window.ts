import { type CallMeasurement, LATENCY_BOUNDS, WINDOW_SECONDS } from '../lifecycle/kinds/measurement.js';

const SLOT_SECONDS = 10;

interface Counts {
  requests: number;
  failed: number;
  latencies: number[];
}

interface Slot {
  /** Which one since the beginning of the clock. */
  number: number;
  counts: Map<string, Counts>;
}

export type CallWindow = ReturnType<typeof createCallWindow>;

/** Counts the calls of the last minutes by deployment. */
export function createCallWindow({ now = () => performance.now() }: { now?: () => number } = {}) {
  let slots: Slot[] = [];
  const inflight = new Map<string, number>();

  function currentSlot(): Slot {
    const number = Math.floor(now() / 1_000 / SLOT_SECONDS);
    const last = slots.at(-1);
    if (last?.number === number) return last;
    const slot = { number, counts: new Map<string, Counts>() };
    slots = [...slots.filter((each) => each.number > number - WINDOW_SECONDS / SLOT_SECONDS), slot];
    return slot;
  }

  function note(id: string, { code, seconds }: { code: number; seconds: number }): void {
    const { counts } = currentSlot();
    const found = counts.get(id) ?? emptyCounts();
    counts.set(id, found);
    found.requests += 1;
    if (code >= 500) found.failed += 1;
    const bucket = LATENCY_BOUNDS.findIndex((bound) => seconds <= bound);
    const at = bucket === -1 ? LATENCY_BOUNDS.length : bucket;
    found.latencies[at] = (found.latencies[at] ?? 0) + 1;
  }

  return {
    /** Begins a call to a deployment; the returned function ends it, and counts it when it had an answer. */
    begin(id: string): (answer?: { code: number; seconds: number }) => void {
      inflight.set(id, (inflight.get(id) ?? 0) + 1);
      return (answer) => {
        const left = (inflight.get(id) ?? 1) - 1;
        if (left === 0) inflight.delete(id);
        else inflight.set(id, left);
        if (answer !== undefined) note(id, answer);
      };
    },

    /** Deployments that had calls in the window, or have one now. */
    read(): CallMeasurement[] {
      currentSlot();
      const total = new Map<string, Counts>();
      for (const id of inflight.keys()) total.set(id, emptyCounts());
      for (const { counts } of slots) {
        for (const [id, each] of counts) total.set(id, added(total.get(id) ?? emptyCounts(), each));
      }
      return [...total].map(([id, counts]) => ({ id, inflight: inflight.get(id) ?? 0, ...counts }));
    },
  };
}

const emptyCounts = (): Counts => ({ requests: 0, failed: 0, latencies: LATENCY_BOUNDS.concat(0).fill(0) });

const added = (one: Counts, other: Counts): Counts => ({
  requests: one.requests + other.requests,
  failed: one.failed + other.failed,
  latencies: one.latencies.map((count, at) => count + (other.latencies[at] ?? 0)),
});
