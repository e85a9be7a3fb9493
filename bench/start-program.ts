import { type ChildProcess, fork } from 'node:child_process';
import { bundleProgram } from '../workers/compose/program.js';

/** Starts a program of a benchmark as the platform starts its processes: from one bundle. */
export async function startProgram(
  program: URL,
  args: readonly string[] = [],
  { flags = [], env = process.env }: { flags?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<ChildProcess> {
  return fork(await bundleProgram(program), args, { execArgv: [...flags], env });
}
