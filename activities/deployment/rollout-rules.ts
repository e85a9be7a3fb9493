import { latencyQuantile, type RevisionCalls } from '../../lifecycle/kinds/revision-calls.js';

/** The calls of both revisions in one span of time. */
export interface CallsOfBoth {
  stable: RevisionCalls;
  candidate: RevisionCalls;
}

/** When a candidate loses its traffic, and how many of its calls must be known for that. */
// prettier-ignore
const RULES = {
  failing:  { requests: 20,  share: 0.5 },                // in the last seconds
  errors:   { requests: 50,  points: 0.02, least: 0.01 }, // over the stable revision
  latency:  { requests: 100, times: 1.5, ms: 20 },        // the p95 over that of the stable revision, twice in a row
  notReady: { seconds: 30 },
  collapse: { points: 0.2 },                              // over the former revision, where all calls moved at once
} as const;

/** The span of the rule `failing`. */
export const FAILING_MS = 10_000;
/** A step with fewer calls of the candidate says nothing. */
export const LEAST_REQUESTS = RULES.errors.requests;

interface Observed {
  /** The last `FAILING_MS`. */
  recent: CallsOfBoth;
  /** All that counts for the comparison. */
  span: CallsOfBoth;
  /** How often in a row the candidate was too slow before this. */
  slowBefore: number;
  /** For how long no replica of the candidate was ready. */
  unreadyMs: number;
}

/** @returns why the candidate loses its traffic, if it does, and how often in a row it was too slow */
export function judge(observed: Observed): { breach?: string; slow: number } {
  const tooSlow = latencyBreach(observed.span);
  const slow = tooSlow === undefined ? 0 : observed.slowBefore + 1;
  const breach =
    readinessBreach(observed) ??
    failingBreach(observed.recent.candidate) ??
    errorBreach(observed.span) ??
    (slow >= 2 ? tooSlow : undefined);
  return { slow, ...(breach !== undefined && { breach }) };
}

/** @returns why a revision that took over all calls at once loses them, if it does: only a collapse counts */
export function judgeTakeover({ recent, span, unreadyMs }: Omit<Observed, 'slowBefore'>): string | undefined {
  const isWorse = (calls: RevisionCalls): boolean => rate(calls) >= rate(span.stable) + RULES.collapse.points;
  return (
    readinessBreach({ unreadyMs }) ??
    (isWorse(recent.candidate) ? failingBreach(recent.candidate) : undefined) ??
    (isWorse(span.candidate) ? errorBreach(span) : undefined)
  );
}

function readinessBreach({ unreadyMs }: Pick<Observed, 'unreadyMs'>): string | undefined {
  if (unreadyMs < RULES.notReady.seconds * 1_000) return undefined;
  return `no replica of the candidate was ready for ${RULES.notReady.seconds} s`;
}

function failingBreach(candidate: RevisionCalls): string | undefined {
  const { requests, share } = RULES.failing;
  if (candidate.requests < requests || rate(candidate) < share) return undefined;
  return `${shareOf(candidate)} failed within ${FAILING_MS / 1_000} s, the limit is ${percent(share)}`;
}

function errorBreach({ stable, candidate }: CallsOfBoth): string | undefined {
  const { requests, points, least } = RULES.errors;
  const [own, other] = [rate(candidate), rate(stable)];
  if (candidate.requests < requests || own < least || own <= other + points) return undefined;
  return `${shareOf(candidate)} failed, but only ${percent(other)} of the stable revision`;
}

function latencyBreach({ stable, candidate }: CallsOfBoth): string | undefined {
  const { requests, times, ms } = RULES.latency;
  const [own, other] = [latencyQuantile(candidate, 0.95), latencyQuantile(stable, 0.95)];
  if (own === undefined || other === undefined || candidate.requests < requests) return undefined;
  if (own <= times * other || own <= other + ms) return undefined;
  return `the p95 of ${candidate.requests} requests is ${own.toFixed(0)} ms, that of the stable revision ${other.toFixed(0)} ms`;
}

const rate = ({ requests, failed }: RevisionCalls): number => (requests === 0 ? 0 : failed / requests);
const percent = (share: number): string => `${(100 * share).toFixed(1).replace(/\.0$/, '')} %`;
const shareOf = (calls: RevisionCalls): string =>
  `${calls.failed} of ${calls.requests} requests (${percent(rate(calls))})`;
