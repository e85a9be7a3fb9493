import type { LogSink } from '../../platform/engines/driver.js';

/** Runs a part of a step and says in the log how long it took. */
export async function logDuration<T>(say: LogSink, what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  say(`INFO ${what}: ${((performance.now() - began) / 1_000).toFixed(2)} s`);
  return result;
}
