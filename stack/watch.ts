import { setTimeout as sleep } from 'node:timers/promises';
import { findDead, restartDead, type Restart, type StackOptions } from './stack.js';

const POLL_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A service that ran for so long after its last restart has recovered. */
const STEADY_MS = 2 * LONGEST_PAUSE_MS;

export interface ServiceWatch {
  /** Ends the watch, and a restart that is under way; stops no service. */
  stop(): Promise<void>;
}

/** Starts services of the embedded stack again when they end by themselves, until the watch is stopped. */
export function watchServices(options: StackOptions): ServiceWatch {
  const ending = new AbortController();
  const watching = watch({ ...options, signal: ending.signal }, ending.signal);
  return {
    async stop() {
      ending.abort();
      await watching;
    },
  };
}

async function watch(options: StackOptions, signal: AbortSignal): Promise<void> {
  const pauses = createRestartPauses();
  while (!signal.aborted) {
    await restartDue(options, pauses).catch((err: unknown) => {
      if (!signal.aborted) options.report(`the services of the stack cannot be started again: ${messageOf(err)}`);
    });
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function restartDue(options: StackOptions, pauses: RestartPauses): Promise<void> {
  const due = (await findDead(options)).filter((name) => pauses.isOver(name));
  if (due.length === 0) return;
  for (const name of due) pauses.begin(name);
  for (const restart of await restartDead(options, due)) {
    if (!options.signal?.aborted) options.report(describe(restart, pauses));
  }
}

function describe({ name, error }: Restart, pauses: RestartPauses): string {
  if (error === undefined) return `${name} runs again`;
  return `${name} could not be started: ${messageOf(error)}; the next try is in ${pauses.of(name) / 1_000} s`;
}

const messageOf = (err: unknown): string => (err instanceof Error ? err.message : String(err));

type RestartPauses = ReturnType<typeof createRestartPauses>;

/** The pause after each restart of a service: it doubles, up to a minute, until the service has run for a while. */
export function createRestartPauses({ now = Date.now }: { now?: () => number } = {}) {
  const restarts = new Map<string, { count: number; at: number }>();
  const of = (name: string): number => Math.min(LONGEST_PAUSE_MS, 500 * 2 ** (restarts.get(name)?.count ?? 0));
  return {
    /** Milliseconds. */
    of,
    isOver(name: string): boolean {
      const last = restarts.get(name);
      return last === undefined || now() >= last.at + of(name);
    },
    /** Called before each restart. */
    begin(name: string): void {
      const { count, at } = restarts.get(name) ?? { count: 0, at: 0 };
      restarts.set(name, { count: now() - at > STEADY_MS ? 1 : count + 1, at: now() });
    },
  };
}
