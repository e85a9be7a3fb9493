import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from './interrupt.js';
import { explain } from './failure.js';
import { EXIT } from './exit-codes.js';
import type { CliContext } from './context.js';
import { createProgram } from './program.js';
import { createTerminal } from './terminal.js';

/** Those of the system by default. */
type Effects = 'now' | 'pause' | 'patienceMs';

export interface Surroundings extends Omit<CliContext, 'terminal' | Effects>, Partial<Pick<CliContext, Effects>> {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}

/** Runs one command line. @returns its exit code */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, now = Date.now, ...rest } = surroundings;
  const {
    signal,
    env,
    pause = (ms, until) => sleep(ms, undefined, { signal: until }),
    // A shell that waits for a word must not wait for a server.
    patienceMs = 1_500,
  } = rest;
  const terminal = createTerminal({ stdout, stderr, env });
  try {
    await createProgram({ ...rest, terminal, now, pause, patienceMs }).parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (signal.aborted || error instanceof Interrupted) return EXIT.interrupted;
    const { exitCode, message } = explain(error);
    if (message !== undefined) terminal.note(`${terminal.paintNote('red', 'Error:')} ${message}`);
    return exitCode;
  }
}
