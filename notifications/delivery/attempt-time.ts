import type { Attempt } from '../kinds/attempt.js';

/** Seconds under which the last of these attempts is signed: later than the one before, whatever the clocks say. */
export function timestampOf(attempts: readonly Attempt[]): number {
  return attempts.reduce((before, { startedAt }) => Math.max(before + 1, Math.floor(Date.parse(startedAt) / 1_000)), 0);
}
