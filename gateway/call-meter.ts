/** The seconds that calls to each deployment take together, in flight and queued: their growth is the concurrency. */
export function createCallMeter({ now = () => performance.now() }: { now?: () => number } = {}) {
  const meters = new Map<string, { calls: number; seconds: number; atMs: number }>();

  function add(id: string, calls: number): number {
    const atMs = now();
    const meter = meters.get(id) ?? { calls: 0, seconds: 0, atMs };
    meters.set(id, meter);
    meter.seconds += (meter.calls * (atMs - meter.atMs)) / 1_000;
    meter.calls += calls;
    meter.atMs = atMs;
    return meter.seconds;
  }

  return {
    begin: (id: string): void => void add(id, 1),
    end: (id: string): void => void add(id, -1),
    /** The seconds of these deployments, without those that were never called; of others the meter forgets. */
    read(ids: readonly string[]): Record<string, number> {
      const kept = new Set(ids);
      for (const [id, { calls }] of meters) if (calls === 0 && !kept.has(id)) meters.delete(id);
      const called = ids.filter((id) => meters.has(id));
      return Object.fromEntries(called.map((id) => [id, Math.round(add(id, 0) * 1_000) / 1_000]));
    },
  };
}
export type CallMeter = ReturnType<typeof createCallMeter>;
