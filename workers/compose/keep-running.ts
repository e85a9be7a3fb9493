import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { SlipwayError } from '../../platform/kinds/errors.js';

export interface KeptProcessOptions {
  environment: NodeJS.ProcessEnv;
  /** Folder of the processes' logs. */
  logDir: string;
  report: (line: string) => void;
  /** Ends a start that is under way; has no effect afterwards. */
  signal?: AbortSignal;
}

interface Kept extends KeptProcessOptions {
  name: string;
  /** Arguments of Node.js, asked for at each start. */
  command: () => Promise<readonly string[]>;
  restartMs?: number;
  readyMs?: number;
  graceMs?: number;
}

export interface PlatformProcess {
  readonly pid: number | undefined;
  readonly logFile: string;
  /** SIGTERM, SIGKILL after 30 s. */
  stop(): Promise<void>;
}

/**
 * Starts a program of Node.js that sends `ready`, and keeps it running: when it ends by itself, it is started again.
 * @throws unavailable, naming the log, when it does not get ready; the reason of `signal` when that ends the start
 */
export async function keepRunning(kept: Kept): Promise<PlatformProcess> {
  const { name, command, environment: env, logDir, report, restartMs = 1_000, graceMs = 30_000 } = kept;
  mkdirSync(logDir, { recursive: true });
  const logFile = join(logDir, `${name}.log`);
  const launch = async (): Promise<ChildProcess> => {
    const args = await command();
    const output = openSync(logFile, 'a');
    try {
      return spawn(process.execPath, args, { env, stdio: ['ignore', output, output, 'ipc'] });
    } finally {
      closeSync(output); // the child has its own
    }
  };
  let stopping = false;
  let child = await launch();

  const restart = (how: string): void => {
    report(`${name} ${how}; it is started again, its log is ${logFile}`);
    setTimeout(() => {
      if (stopping) return;
      launch().then(
        (next) => {
          child = next;
          if (stopping) child.kill('SIGKILL');
          else watch();
        },
        (err: unknown) => restart(`could not be started: ${err instanceof Error ? err.message : String(err)}`),
      );
    }, restartMs);
  };
  const watch = (): void => {
    child.once('exit', (code, signal) => {
      if (!stopping) restart(`ended (${signal ?? `exit code ${code}`})`);
    });
  };

  await untilReady(child, { ...kept, logFile });
  watch();
  return {
    get pid() {
      return child.pid;
    },
    logFile,
    async stop() {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(killer);
    },
  };
}

async function untilReady(
  child: ChildProcess,
  { name, logFile, signal, readyMs = 120_000 }: Kept & { logFile: string },
) {
  const settled = new AbortController();
  const timer = setTimeout(() => settled.abort(), readyMs);
  const limit = signal ? AbortSignal.any([settled.signal, signal]) : settled.signal;
  const failed = (how: string) => new SlipwayError('unavailable', `${name} ${how}; its log is ${logFile}`);
  try {
    await Promise.race([
      once(child, 'message', { signal: limit }),
      once(child, 'exit', { signal: limit }).then(([code]) => {
        throw failed(`ended with exit code ${String(code)}`);
      }),
    ]);
  } catch (err) {
    child.kill('SIGKILL');
    signal?.throwIfAborted();
    throw err instanceof SlipwayError ? err : failed(`was not ready within ${readyMs / 1_000} s`);
  } finally {
    clearTimeout(timer);
    settled.abort();
  }
}
