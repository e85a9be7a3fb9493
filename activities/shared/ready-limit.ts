import { availableParallelism, loadavg } from 'node:os';

/** How many times longer a server may take on a busy machine. */
export const MOST_SLOWDOWN = 5;
/** A longer limit than this comes from the settings alone: it must end within the step that waits. */
const LONGEST_SECONDS = 900;

/** How many processes share a core of this machine. Its engine may run on another one, and is busy for the same reasons. */
const measureLoad = (): number => (loadavg()[0] ?? 0) / availableParallelism();

/**
 * The seconds that a server has to get ready. A start takes as much longer as others use the same cores, and a limit that
 * does not know it takes load for a bad model.
 */
export function readyLimit(seconds: number, load = measureLoad()): number {
  const slowed = seconds * Math.min(MOST_SLOWDOWN, Math.max(1, load));
  return Math.max(seconds, Math.min(slowed, LONGEST_SECONDS));
}

/** Completes "was not ready": the limit of the settings, and what became of it. */
export function within(seconds: number, limit: number): string {
  const given = Math.round(limit);
  return given > seconds ? `within ${seconds} s (${given} s, as the machine is busy)` : `within ${seconds} s`;
}
