/** The calls that a gateway counted at one revision since it first served it. They only grow. */
export interface RevisionCalls {
  /** Calls that the model answered, or failed to. */
  requests: number;
  /** Those of them with a 5xx of the model, a broken reply or none in time. */
  failed: number;
  /** Answered calls by the bucket of the time that the model took. */
  latency: Record<string, number>;
}

/** Calls by deployment, then by generation. */
export type CallsReport = Record<string, Record<string, RevisionCalls>>;

export const noCalls = (): RevisionCalls => ({ requests: 0, failed: 0, latency: {} });

/** Each bucket ends a tenth above the one before, so that a quantile is known to a tenth. */
const GROWTH = Math.log(1.1);
const LAST_BUCKET = 145; // beyond 1,000 s

export const latencyBucket = (ms: number): number =>
  Math.min(LAST_BUCKET, Math.max(0, Math.ceil(Math.log(Math.max(ms, 1)) / GROWTH)));

/** The time in milliseconds within which `share` of the calls were answered. */
export function latencyQuantile({ latency }: Pick<RevisionCalls, 'latency'>, share: number): number | undefined {
  const buckets = Object.entries(latency).sort(([one], [other]) => Number(one) - Number(other));
  const wanted = share * buckets.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (count > 0 && seen >= wanted) return Math.exp(Number(bucket) * GROWTH);
  }
  return undefined;
}

/** The calls of `now` that were not among those of `before`. */
export function callsSince(now: RevisionCalls, before: RevisionCalls = noCalls()): RevisionCalls {
  const buckets = Object.entries(now.latency).map(([bucket, count]) => {
    return [bucket, Math.max(0, count - (before.latency[bucket] ?? 0))] as const;
  });
  return {
    requests: Math.max(0, now.requests - before.requests),
    failed: Math.max(0, now.failed - before.failed),
    latency: Object.fromEntries(buckets),
  };
}

export function sumOfCalls(all: readonly RevisionCalls[]): RevisionCalls {
  const sum = noCalls();
  for (const { requests, failed, latency } of all) {
    sum.requests += requests;
    sum.failed += failed;
    for (const [bucket, count] of Object.entries(latency)) sum.latency[bucket] = (sum.latency[bucket] ?? 0) + count;
  }
  return sum;
}
