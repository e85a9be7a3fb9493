/** Upper bounds of the buckets of latencies, in seconds; one more bucket holds what took longer. */
export const LATENCY_BOUNDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** The time that counts of calls cover. */
export const WINDOW_SECONDS = 300;

/** The calls to a deployment that one gateway answered within the window. */
export interface CallMeasurement {
  /** Deployment id. */
  id: string;
  requests: number;
  /** Those with a 5xx. */
  failed: number;
  /** Calls that are being answered. */
  inflight: number;
  /** Calls per bucket of `LATENCY_BOUNDS`, and the slower ones. */
  latencies: readonly number[];
}

/** The replicas of a deployment as the worker that supervises them measures them. */
export interface ReplicaMeasurement {
  /** Deployment id. */
  id: string;
  /** Restarts since the worker began to supervise them. */
  restarts: number;
  /** Processor cores in use, of all replicas together; absent until each was measured twice. */
  cpuCores?: number;
  /** Absent until a replica was measured. */
  memoryBytes?: number;
}

/** The measurements of all processes. */
export interface Measurements {
  calls: readonly CallMeasurement[];
  replicas: readonly ReplicaMeasurement[];
}

export interface DeploymentMetrics {
  id: string;
  state: string;
  /** The share of the replicas that take requests, 0 to 1; of a deployment without replicas, 1 while it is ready. */
  availability: number;
  replicas: number;
  availableReplicas: number;
  /** Absent while no worker supervises the replicas. */
  restarts?: number;
  cpuCores?: number;
  memoryBytes?: number;
  windowSeconds: number;
  requests: number;
  failed: number;
  inflight: number;
  /** Quantiles of the time to the answer; absent without calls. */
  latencySeconds?: { p50: number; p95: number; p99: number };
}

interface Measured {
  id: string;
  status: { state: string; replicas: number; availableReplicas: number };
}

/** Adds up the measurements of all processes, deployment by deployment. */
export function toDeploymentMetrics({ calls, replicas }: Measurements): (deployment: Measured) => DeploymentMetrics {
  const callsOf = byId(calls);
  const replicasOf = byId(replicas);
  return ({ id, status: { state, replicas: wanted, availableReplicas } }) => {
    const own = callsOf.get(id) ?? [];
    const supervised = replicasOf.get(id) ?? [];
    const latencies = LATENCY_BOUNDS.concat(Infinity).map((_, at) => sum(own.map((each) => each.latencies[at] ?? 0)));
    return {
      ...{ id, state, replicas: wanted, availableReplicas },
      availability: wanted === 0 ? Number(state === 'Ready') : Math.min(1, availableReplicas / wanted),
      ...(supervised.length > 0 && { restarts: sum(supervised.map(({ restarts }) => restarts)) }),
      ...sumOf(supervised, 'cpuCores'),
      ...sumOf(supervised, 'memoryBytes'),
      windowSeconds: WINDOW_SECONDS,
      requests: sum(own.map(({ requests }) => requests)),
      failed: sum(own.map(({ failed }) => failed)),
      inflight: sum(own.map(({ inflight }) => inflight)),
      ...quantiles(latencies),
    };
  };
}

function byId<M extends { id: string }>(measured: readonly M[]): ReadonlyMap<string, M[]> {
  const groups = new Map<string, M[]>();
  for (const each of measured) {
    const group = groups.get(each.id);
    if (group === undefined) groups.set(each.id, [each]);
    else group.push(each);
  }
  return groups;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function sumOf<Name extends 'cpuCores' | 'memoryBytes'>(
  replicas: readonly ReplicaMeasurement[],
  name: Name,
): Partial<Record<Name, number>> {
  const known = replicas.flatMap((each) => each[name] ?? []);
  // One member of that name.
  return known.length === 0 ? {} : ({ [name]: sum(known) } as Record<Name, number>);
}

function quantiles(latencies: readonly number[]): Pick<DeploymentMetrics, 'latencySeconds'> {
  if (sum(latencies) === 0) return {};
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => Number(quantile(latencies, share).toPrecision(4)));
  return { latencySeconds: { p50: p50 ?? 0, p95: p95 ?? 0, p99: p99 ?? 0 } };
}

/** Estimates a quantile as Prometheus does: evenly within its bucket; beyond the last bound it is that bound. */
export function quantile(latencies: readonly number[], share: number): number {
  const rank = share * sum(latencies);
  let below = 0;
  for (const [at, count] of latencies.entries()) {
    const [from, to] = [LATENCY_BOUNDS[at - 1] ?? 0, LATENCY_BOUNDS[at]];
    if (to === undefined) return from;
    if (count > 0 && below + count >= rank) return from + (to - from) * ((rank - below) / count);
    below += count;
  }
  return 0;
}
