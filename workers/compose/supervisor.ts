import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
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
  /** The arguments of Node.js for a process; by default its entry point. */
  argumentsOf?: (name: ProcessName) => readonly string[] | Promise<readonly string[]>;
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

const RESTART_MS = 1_000;
const READY_MS = 120_000;
const GRACE_MS = 30_000;

/**
 * Starts a process of the platform and keeps it running: one that ends by itself is started again.
 * @throws unavailable, naming the log, when it does not get ready
 */
export async function startProcess(name: ProcessName, options: SupervisorOptions): Promise<PlatformProcess> {
  const { restartMs = RESTART_MS, readyMs = READY_MS, graceMs = GRACE_MS } = options;
  mkdirSync(options.logDir, { recursive: true });
  const logFile = join(options.logDir, `${name}.log`);
  const { environment: env, argumentsOf = entryPoint } = options;
  const args = await argumentsOf(name);
  const launch = (): ChildProcess => {
    const output = openSync(logFile, 'a');
    try {
      return spawn(process.execPath, args, { env, stdio: ['ignore', output, output, 'ipc'] });
    } finally {
      closeSync(output); // the child has its own
    }
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
      }, restartMs);
    });
  };

  await ready(child, { name, logFile, readyMs });
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

/** The flags and the program of a process of the platform. */
export async function entryPoint(name: ProcessName): Promise<string[]> {
  const flags = ['--enable-source-maps', ...(name === 'api' ? STEADY_HEAP : [])];
  return [...flags, await bundleProgram(new URL(`../${name}.ts`, import.meta.url))];
}

interface Waited {
  name: ProcessName;
  logFile: string;
  readyMs: number;
}

async function ready(child: ChildProcess, { name, logFile, readyMs }: Waited): Promise<void> {
  const patience = AbortSignal.timeout(readyMs);
  const failed = (how: string) => new SlipwayError('unavailable', `${name} ${how}; its log is ${logFile}`);
  const outcome = await Promise.race([
    once(child, 'message', { signal: patience }).then(() => undefined),
    once(child, 'exit', { signal: patience }).then(([code]) => failed(`ended with exit code ${String(code)}`)),
  ]).catch(() => failed(`was not ready within ${readyMs / 1_000} s`));
  if (outcome === undefined) return;
  child.kill('SIGKILL');
  throw outcome;
}
