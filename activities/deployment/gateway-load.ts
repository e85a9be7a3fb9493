import type { RouteTime } from '../../lifecycle/kinds/endpoint.js';
import type { GatewayReport } from '../../lifecycle/stores/route-readers.js';

/** A gateway that was silent for so long may have calls that are not known. */
const SILENT_MS = 10_000;

/** Reads the reports of all gateways once for all supervisors of a process that ask at the same time. */
export function shareReports(read: () => Promise<GatewayReport[]>, keptMs: number): () => Promise<GatewayReport[]> {
  let kept: { atMs: number; reports: Promise<GatewayReport[]> } | undefined;
  return () => {
    if (kept === undefined || Date.now() - kept.atMs >= keptMs) kept = { atMs: Date.now(), reports: read() };
    return kept.reports;
  };
}

/** The calls at one deployment. */
export interface Load {
  /** Calls at once, on average since the last report of each gateway. */
  concurrency: number;
  /** Whether every gateway reports. */
  isComplete: boolean;
}

/** Follows the calls at one deployment through the counts of the gateways, which only rise. */
export function createLoadMeter(id: string): (reports: readonly GatewayReport[], nowMs: number) => Load {
  let known = new Map<string, { atMs: number; seconds: number; rate: number }>();

  function follow({ gateway, atMs, load }: GatewayReport) {
    const seconds = load.busySeconds[id] ?? 0;
    const before = known.get(gateway);
    if (before === undefined) return { atMs, seconds, rate: 0 };
    // A gateway whose calls have ended says so within some seconds; one that is late has as many as before.
    if (atMs <= before.atMs) return before;
    const rate = (Math.max(0, seconds - before.seconds) * 1_000) / (atMs - before.atMs);
    return { atMs, seconds, rate };
  }

  return (reports, nowMs) => {
    known = new Map(reports.map((report) => [report.gateway, follow(report)]));
    const concurrency = [...known.values()].reduce((sum, { rate }) => sum + rate, 0);
    const isComplete = reports.length > 0 && reports.every(({ atMs }) => nowMs - atMs < SILENT_MS);
    return { concurrency, isComplete };
  };
}

/** Whether no gateway sends calls to these replicas any more, since a route that leaves them out. */
export const areDrained = (
  reports: readonly GatewayReport[],
  { id, route, replicas }: { id: string; route: RouteTime; replicas: readonly string[] },
): boolean =>
  reports.every(({ serves, load }) => serves(id, route) && !load.draining.some((name) => replicas.includes(name)));
