import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { STEADY_HEAP } from './heap-growth.js';
import { bundleProgram } from './program.js';

export const PROCESSES = ['api', 'worker', 'gateway', 'uploader'] as const;
export type ProcessName = (typeof PROCESSES)[number];

interface SupervisorOptions {
  environment: NodeJS.ProcessEnv;
  /** Folder of the processes' logs. */
  logDir: string;
  report: (line: string) => void;
}

export interface PlatformProcess {
  readonly pid: number | undefined;
  readonly logFile: string;
  /** SIGTERM, SIGKILL after 30 s. */
  stop(): Promise<void>;
}

const RESTART_MS = 1_000;
const READY_MS = 120_000;
const GRACE_MS = 30_000;

/**
 * Starts a process of the platform and keeps it running: one that ends by itself is started again.
 * @throws unavailable, naming the log, when it does not get ready
 */
export async function startProcess(name: ProcessName, options: SupervisorOptions): Promise<PlatformProcess> {
  mkdirSync(options.logDir, { recursive: true });
  const logFile = join(options.logDir, `${name}.log`);
  const program = await bundleProgram(new URL(`../${name}.ts`, import.meta.url));
  const launch = (): ChildProcess => {
    const output = openSync(logFile, 'a');
    const flags = ['--enable-source-maps', ...(name === 'api' ? STEADY_HEAP : [])];
    const stdio: StdioOptions = ['ignore', output, output, 'ipc'];
    return spawn(process.execPath, [...flags, program], { env: options.environment, stdio });
  };
  let stopping = false;
  let child = launch();

  const watch = (): void => {
    child.once('exit', (code, signal) => {
      if (stopping) return;
      options.report(`${name} ended (${signal ?? `exit code ${code}`}); it is started again, its log is ${logFile}`);
      setTimeout(() => {
        if (stopping) return;
        child = launch();
        watch();
      }, RESTART_MS);
    });
  };

  await ready(name, child, logFile);
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
      const killer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      await ended;
      clearTimeout(killer);
    },
  };
}

async function ready(name: ProcessName, child: ChildProcess, logFile: string): Promise<void> {
  const patience = AbortSignal.timeout(READY_MS);
  const failed = (how: string) => new SlipwayError('unavailable', `${name} ${how}; its log is ${logFile}`);
  const outcome = await Promise.race([
    once(child, 'message', { signal: patience }).then(() => undefined),
    once(child, 'exit', { signal: patience }).then(([code]) => failed(`ended with exit code ${String(code)}`)),
  ]).catch(() => failed(`was not ready within ${READY_MS / 1_000} s`));
  if (outcome === undefined) return;
  child.kill('SIGKILL');
  throw outcome;
}
