import { setTimeout as sleep } from 'node:timers/promises';
import { isTemporary } from './errors.js';

export interface PatienceOptions {
  signal?: AbortSignal | undefined;
  /** How long to look for a server that has gone away. */
  patienceMs?: number | undefined;
  /** Called for every failed attempt that will be repeated. */
  onTrouble?: ((error: unknown) => void) | undefined;
  now?: () => number;
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/** Outlasts a server that restarts: what takes minutes or hours must not end because one call in between failed. */
export function createPatience(options: PatienceOptions = {}) {
  const { signal, patienceMs = 300_000, onTrouble, now = Date.now } = options;
  const { pause = (ms, signal) => sleep(ms, undefined, { signal }) } = options;
  let failures = 0;
  let since = 0;

  /** Waits before a repeat. @throws the error itself when no repeat would help, or patience has come to its end */
  async function endure(error: unknown): Promise<void> {
    signal?.throwIfAborted();
    if (failures === 0) since = now();
    if (!isTemporary(error) || now() - since > patienceMs) throw error;
    onTrouble?.(error);
    await pause(Math.min(5_000, 250 * 2 ** failures), signal);
    failures += 1;
  }

  return {
    endure,
    /** All is well again. */
    reset: () => void (failures = 0),
    /** Makes a call until it is answered. */
    async call<Value>(work: () => Promise<Value>): Promise<Value> {
      for (;;) {
        try {
          const value = await work();
          failures = 0;
          return value;
        } catch (error) {
          await endure(error);
        }
      }
    },
  };
}
