import { createHash } from 'node:crypto';

const JITTER = 0.2;

/**
 * Milliseconds to wait before an attempt, at least what the schedule says and at most a fifth more. The same for the same
 * notice and attempt, so whoever takes over a delivery comes to the same time.
 * @param attempt 1 for the first
 * @returns undefined when the schedule has no such attempt
 */
export function retryDelayMs(schedule: readonly number[], noticeId: string, attempt: number): number | undefined {
  const seconds = schedule[attempt - 1];
  if (seconds === undefined) return undefined;
  const drawn = createHash('sha256').update(`${noticeId}/${attempt}`).digest().readUInt32BE(0) / 2 ** 32;
  return Math.round(seconds * 1_000 * (1 + JITTER * drawn));
}
