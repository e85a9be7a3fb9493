import { Interrupted } from './interrupt.js';
import { explain } from './failure.js';
import { EXIT } from './exit-codes.js';
import { createProgram } from './program.js';
import { createTerminal } from './terminal.js';

export interface Surroundings {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  version: string;
}

/** Runs one command line. @returns its exit code */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal, env, stdin, fetch, version } = surroundings;
  const terminal = createTerminal(surroundings);
  try {
    await createProgram({ terminal, env, stdin, fetch, now: Date.now, signal, version }).parseAsync(args, {
      from: 'user',
    });
    return EXIT.ok;
  } catch (error) {
    if (signal.aborted || error instanceof Interrupted) return EXIT.interrupted;
    const { exitCode, message } = explain(error);
    if (message !== undefined) terminal.note(`${terminal.paintNote('red', 'Error:')} ${message}`);
    return exitCode;
  }
}
