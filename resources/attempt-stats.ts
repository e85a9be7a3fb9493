import type { AttemptEnd, Outcome } from './attempt.js';

/** What attempts of a subscription came to, since it was created. */
export interface AttemptStats {
  outcomes: Readonly<Record<Outcome, number>>;
  /** Attempts that were answered within each of `LATENCY_SECONDS`, and behind all of them. */
  latencies: readonly number[];
  latencyMs: number;
}

export const LATENCY_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] as const;

export const NO_ATTEMPTS: AttemptStats = {
  outcomes: { confirmed: 0, not_sent: 0, refused: 0, ambiguous: 0 },
  latencies: [...LATENCY_SECONDS, Infinity].map(() => 0),
  latencyMs: 0,
};

export function countAttempt(stats: AttemptStats, { outcome, latencyMs }: AttemptEnd): AttemptStats {
  const outcomes = { ...stats.outcomes, [outcome]: stats.outcomes[outcome] + 1 };
  if (latencyMs === undefined) return { ...stats, outcomes };
  const found = LATENCY_SECONDS.findIndex((seconds) => latencyMs <= seconds * 1_000);
  const bucket = found < 0 ? LATENCY_SECONDS.length : found;
  const latencies = stats.latencies.map((count, index) => (index === bucket ? count + 1 : count));
  return { outcomes, latencies, latencyMs: stats.latencyMs + latencyMs };
}
