import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../platform/kinds/errors.js';
import { identify } from './process-identity.js';
import { requireFreePort } from './ports.js';
import { findProcess, removeRecord, writeRecord, type ProcessRecord } from './process-record.js';

export interface ServiceProcess {
  name: string;
  command: string;
  args: string[];
  cwd?: string;
  /** Added to the starter's environment. */
  environment?: Record<string, string>;
  /** Further inputs of its start, such as its settings file: when they differ, the process is replaced. */
  inputs?: string;
  /** Loopback ports it will listen on; checked before the start. */
  ports: number[];
  /** Resolves once the service really answers; throws while it does not. */
  probe: () => Promise<void>;
  readyTimeoutMs?: number;
}

interface Options {
  stateDir: string;
  signal: AbortSignal;
  probeEveryMs?: number;
}

/**
 * Attaches to the process that an earlier call started from this folder, or starts it; returns once it answers.
 * @throws unavailable naming the log, when it exits or stays silent; nothing is left running then, and the record stays:
 * only a stop removes it
 */
export async function ensureProcess(service: ServiceProcess, options: Options): Promise<'attached' | 'started'> {
  const { stateDir } = options;
  const fingerprint = fingerprintOf(service);
  const running = await findProcess(stateDir, service.name);
  if (running) {
    if (running.fingerprint === fingerprint && (await answers(service, options, 5_000))) return 'attached';
    await endProcess(running);
  }
  for (const port of service.ports) await requireFreePort(port, service.name);
  const record = await launch(service, stateDir, fingerprint);
  try {
    if (await answers(service, options, service.readyTimeoutMs ?? 30_000, record)) return 'started';
  } catch (error) {
    await endProcess(record);
    throw error;
  }
  const logFile = logFileOf(stateDir, service.name);
  const last = (await lastLines(logFile)) || 'it logged nothing';
  await endProcess(record);
  throw new SlipwayError('unavailable', `${service.name} does not answer; its log ${logFile} ends with: ${last}`);
}

/** Ends a service on purpose: its record goes too, so that it counts as stopped. @returns whether it ran */
export async function stopProcess(stateDir: string, name: string): Promise<boolean> {
  const record = await findProcess(stateDir, name);
  if (record) await endProcess(record);
  await removeRecord(stateDir, name);
  return record !== undefined;
}

/** Ends a process gently, then by force. */
async function endProcess(record: ProcessRecord): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', 10_000],
    ['SIGKILL', 5_000],
  ] as const) {
    send(record.pid, signal);
    if (await isGone(record, waitMs)) break;
  }
}

export function logFileOf(stateDir: string, name: string): string {
  return join(stateDir, 'logs', `${name}.log`);
}

async function launch(service: ServiceProcess, stateDir: string, fingerprint: string): Promise<ProcessRecord> {
  await mkdir(join(stateDir, 'logs'), { recursive: true });
  const log = await open(logFileOf(stateDir, service.name), 'a');
  try {
    const child = spawn(service.command, service.args, {
      cwd: service.cwd,
      env: { ...process.env, ...service.environment },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    const pid = child.pid ?? 0;
    const record = { pid, identity: (await identify(pid)) ?? 'ended', fingerprint };
    await writeRecord(stateDir, service.name, record).catch((error: unknown) => {
      send(pid, 'SIGKILL'); // without its record no command could find it again
      throw error;
    });
    return record;
  } catch (cause) {
    throw new SlipwayError('unavailable', `${service.name} cannot be started: ${service.command} ${String(cause)}`, {
      cause,
    });
  } finally {
    await log.close();
  }
}

async function answers(
  service: ServiceProcess,
  { signal, probeEveryMs = 50 }: Options,
  timeoutMs: number,
  launched?: ProcessRecord,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      await service.probe();
      return true;
    } catch {
      if (Date.now() > deadline) return false;
      if (launched && (await identify(launched.pid)) !== launched.identity) return false;
    }
    await sleep(probeEveryMs);
  }
}

async function isGone(record: ProcessRecord, waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs;
  while ((await identify(record.pid)) === record.identity) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in between.
  }
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-3).join(' | ').slice(-600);
}

function fingerprintOf({ command, args, environment = {}, inputs = '' }: ServiceProcess): string {
  return createHash('sha256')
    .update(JSON.stringify([command, args, environment, inputs]))
    .digest('hex');
}
