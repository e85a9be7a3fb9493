import type { Attempt } from '../kinds/attempt.js';

/** Computes the signed timestamp of the last attempt in seconds: later than the one before, even if a clock ran back. */
export function timestampOf(attempts: readonly Attempt[]): number {
  return attempts.reduce((before, { startedAt }) => Math.max(before + 1, Math.floor(Date.parse(startedAt) / 1_000)), 0);
}
