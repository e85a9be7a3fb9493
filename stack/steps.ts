import { SlipwayError } from '../platform/kinds/errors.js';

export interface Step<Name extends string> {
  name: Name;
  /** Steps that must end first; those not in the list of this run count as done. */
  needs: readonly Name[];
  /** Returns what it did, in a few words. */
  run: (tools: StepTools) => Promise<string>;
}

export interface StepTools {
  /** Aborted as soon as any other step failed. */
  signal: AbortSignal;
  /** One line of progress, under the step's name. */
  say: (text: string) => void;
}

interface Options {
  report: (line: string) => void;
  /** Ends the steps before their time; its reason is thrown once all have come to rest. */
  signal?: AbortSignal;
  now?: () => number;
}

/**
 * Runs steps side by side as their needs allow, each with a line of progress and its time. The first failure stops
 * the others and is thrown once all have come to rest.
 */
export async function runSteps<Name extends string>(
  steps: readonly Step<Name>[],
  { report, signal, now = Date.now }: Options,
): Promise<void> {
  const begin = now();
  const stop = new AbortController();
  const halted = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const width = Math.max(...steps.map((step) => step.name.length));
  const seconds = (since: number) => ((now() - since) / 1000).toFixed(1);
  const say = (name: Name, text: string) => report(`[${seconds(begin).padStart(6)} s] ${name.padEnd(width)}  ${text}`);
  const endings = new Map<Name, Promise<void>>();
  const failures: unknown[] = [];

  const start = async ({ name, needs, run }: Step<Name>): Promise<void> => {
    await Promise.all(needs.map(async (need) => endings.get(need)));
    if (halted.aborted) return;
    const since = now();
    try {
      const done = await run({ signal: halted, say: (text) => say(name, text) });
      say(name, `${done} (${seconds(since)} s)`);
    } catch (error) {
      if (halted.aborted) return; // the failure that counts is the first one
      failures.push(error);
      say(name, `failed (${seconds(since)} s)`);
      stop.abort();
    }
  };
  // A promise is stored before the step begins, so the order of the list does not matter.
  const order = inOrder(steps);
  for (const step of order) endings.set(step.name, start(step));
  await Promise.all(endings.values());
  if (failures.length > 0) throw failures[0];
  signal?.throwIfAborted();
}

/** Needs before what needs them. */
function inOrder<Name extends string>(steps: readonly Step<Name>[]): Step<Name>[] {
  const left = [...steps];
  const sorted: Step<Name>[] = [];
  while (left.length > 0) {
    const index = left.findIndex(({ needs }) => !left.some((other) => needs.includes(other.name)));
    const [next] = left.splice(index, 1);
    if (index < 0 || !next) throw new SlipwayError('internal', 'the steps of the stack wait for each other');
    sorted.push(next);
  }
  return sorted;
}
