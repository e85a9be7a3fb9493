import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa, ExecaError } from 'execa';
import { SlipwayError } from '../platform/kinds/errors.js';

export interface Command {
  command: string;
  args: string[];
  cwd?: string;
  environment?: Record<string, string | undefined>;
  logFile: string;
  signal?: AbortSignal;
  /** The remedy when it fails, as an imperative sentence without a stop. */
  remedy: string;
}

/**
 * Runs one command to its end with its output in a log.
 * @throws unavailable with the command, the log file and the remedy in one sentence
 */
export async function runCommand({ command, args, cwd, environment, logFile, signal, remedy }: Command): Promise<void> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = await open(logFile, 'a');
  const line = [command, ...args].join(' ');
  try {
    await log.write(`$ ${line}\n`);
    const output = { file: logFile, append: true };
    // The files of a built image are read by other users than ours. A program gets its mask when it is spawned.
    const own = process.umask(0o022);
    const running = execa(command, args, {
      cwd,
      env: environment,
      stdin: 'ignore',
      stdout: output,
      stderr: output,
      buffer: false,
      cancelSignal: signal,
      forceKillAfterDelay: 5_000,
    });
    process.umask(own);
    await running;
  } catch (cause) {
    signal?.throwIfAborted();
    const ending = cause instanceof ExecaError ? cause.shortMessage : String(cause);
    throw new SlipwayError('unavailable', `${ending}: ${await lastLine(logFile)}; see ${logFile}; ${remedy}`, {
      cause,
    });
  } finally {
    await log.close();
  }
}

async function lastLine(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trim().split('\n').at(-1) ?? '';
}
