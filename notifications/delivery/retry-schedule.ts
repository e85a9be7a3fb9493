import { createHash } from 'node:crypto';

const JITTER = 0.2;

/**
 * Computes the wait before an attempt in milliseconds: the scheduled time plus at most a fifth. It depends on delivery
 * and attempt alone, so a worker that takes a delivery over computes the same time.
 * @param attempt 1 for the first
 * @returns undefined when the schedule has no such attempt
 */
export function retryDelayMs(schedule: readonly number[], deliveryId: string, attempt: number): number | undefined {
  const seconds = schedule[attempt - 1];
  if (seconds === undefined) return undefined;
  const drawn = createHash('sha256').update(`${deliveryId}/${attempt}`).digest().readUInt32BE(0) / 2 ** 32;
  return Math.round(seconds * 1_000 * (1 + JITTER * drawn));
}
