import { chmod, mkdir, readdir, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SlipwayError } from '../platform/kinds/errors.js';
import { acquire, exists } from './cache.js';
import { choosePorts, processSettings } from '../platform/kinds/ports.js';
import { removeTree } from './remove-tree.js';
import { loadSecretKey } from './secret-key.js';
import {
  SERVICE_NAMES,
  type Environment,
  type FoundSettings,
  type Service,
  type ServiceContext,
  type ServiceName,
} from './service.js';
import { findProcess, hasDied } from './process-record.js';
import { logFileOf, stopProcess } from './service-process.js';
import { SERVICES } from './services/index.js';
import { runSteps, type StepTools } from './steps.js';
import { readTemporalDeclaration } from './temporal-declaration.js';

const LOCK_NAME = 'stack';
const LOCK_FOLDER = `${LOCK_NAME}.lock`;

export interface StackOptions {
  /** Folder of this installation: data, logs and process records; made when it is not there. */
  stateDir: string;
  /** First of ten ports; without it the well-known ones are used. */
  portBase?: number;
  /** Folder of what checkouts share; default `slipway` in the user's cache folder. */
  cacheDir?: string;
  /** The user's settings: a part whose address they hold is not started. */
  environment: Environment;
  /** Parts to start; default all. Those they need come along. */
  only?: readonly ServiceName[];
  /** Ends the start before its time; what it started is stopped again. */
  signal?: AbortSignal;
  report: (line: string) => void;
}

/**
 * Brings up every part of the embedded stack that `environment` does not point elsewhere, or attaches to what runs.
 * The services outlive this process; a second call is quick.
 * @returns the settings that lead to them, by environment variable, without those that `environment` holds already
 * @throws unavailable with one sentence that names the log or the next step; what this call started is stopped again
 */
export async function startStack(options: StackOptions): Promise<Record<string, string>> {
  return whileLocked(options, async (stateDir) => {
    const { environment, report, signal } = options;
    const services = selectServices(environment, options.only);
    const before = new Set((await stackStatus({ stateDir })).flatMap(({ name, pid }) => (pid ? [name] : [])));
    const context = contextOf(options, stateDir);
    try {
      await mkdir(join(stateDir, 'logs'), { recursive: true });
      const steps = services.map(({ name, needs, start }) => ({
        name,
        needs,
        run: (tools: StepTools) => start(context, tools),
      }));
      await runSteps(steps, { report, signal });
      const settings = { ...(await platformSettings(context)), ...context.found };
      return Object.fromEntries(Object.entries(settings).filter(([name]) => !environment[name]));
    } catch (error) {
      const started = services.filter(({ name }) => !before.has(name));
      await stopAll({ stateDir, report }, started);
      throw explain(error);
    }
  });
}

/** Finds the services that this installation has of its own and that ended by themselves, or lost a part; not by a stop. */
export async function findDead({ stateDir, environment }: Pick<StackOptions, 'stateDir' | 'environment'>) {
  const folder = resolve(stateDir);
  const services = selectServices(environment);
  const isDead = async ({ name, isIntact }: Service): Promise<boolean> => {
    if (await hasDied(folder, name)) return true;
    return isIntact !== undefined && (await findProcess(folder, name)) !== undefined && !(await isIntact(folder));
  };
  const dead = await Promise.all(services.map(isDead));
  return services.filter((_, index) => dead[index]).map(({ name }) => name);
}

export interface Restart {
  name: ServiceName;
  /** Absent when it runs again. */
  error?: unknown;
}

/** Starts services again that ended by themselves. One that was stopped or started meanwhile is left alone. */
export async function restartDead(options: StackOptions, names: readonly ServiceName[]): Promise<Restart[]> {
  return whileLocked(options, async (stateDir) => {
    const { report, signal = new AbortController().signal } = options;
    const context = contextOf(options, stateDir);
    // Only now, as a stop removes the record while it holds the lock.
    const dead = new Set((await findDead(options)).filter((name) => names.includes(name)));
    const restart = async ({ name, start }: Service): Promise<Restart> => {
      report(`${name} ended or lost a part; it is started again, its log is ${logFileOf(stateDir, name)}`);
      return start(context, { signal, say: (text) => report(`${name}: ${text}`) }).then(
        () => ({ name }),
        (error: unknown) => ({ name, error: explain(error) }),
      );
    };
    return Promise.all(SERVICES.filter(({ name }) => dead.has(name)).map(restart));
  });
}

export interface ServiceStatus {
  name: ServiceName;
  /** Undefined when it does not run. */
  pid?: number;
  logFile: string;
}

type Place = Pick<StackOptions, 'stateDir' | 'report' | 'signal'>;

/** Lists the services of this folder and which of them run; starts none. */
export async function stackStatus({ stateDir }: Pick<StackOptions, 'stateDir'>): Promise<ServiceStatus[]> {
  const folder = resolve(stateDir);
  return Promise.all(
    SERVICES.filter(({ runs }) => runs === 'detached').map(async ({ name }) => ({
      name,
      pid: (await findProcess(folder, name))?.pid,
      logFile: logFileOf(folder, name),
    })),
  );
}

/** Ends every service of this folder; its data stays. Returns the names of those that ran. */
export async function stopStack(place: Place): Promise<ServiceName[]> {
  if (!(await exists(place.stateDir))) return [];
  return whileLocked(place, (stateDir) => stopAll({ ...place, stateDir }));
}

/** Ends every service of this folder and removes it with all its data. What checkouts share stays. */
export async function resetStack(place: Place): Promise<void> {
  if (!(await exists(place.stateDir))) return;
  await whileLocked(place, async (stateDir) => {
    await stopAll({ stateDir, report: () => undefined });
    for (const { beforeRemoval } of SERVICES) await beforeRemoval?.(stateDir);
    const names = await readdir(stateDir);
    // The lock goes last, with its release: a start that waits for it finds an empty folder, not a half-empty one.
    await Promise.all(names.filter((name) => name !== LOCK_FOLDER).map((name) => removeTree(join(stateDir, name))));
  });
  // Fails, rightly, when that start has begun to fill it.
  await rmdir(resolve(place.stateDir)).catch(() => undefined);
}

async function whileLocked<Result>({ stateDir, report, signal }: Place, act: (stateDir: string) => Promise<Result>) {
  const folder = resolve(stateDir);
  await mkdir(folder, { recursive: true });
  // Databases, logs and bodies of requests are below: no other user of the machine reads them.
  await chmod(folder, 0o700);
  const release = await acquire(join(folder, LOCK_NAME), {
    signal: signal ?? new AbortController().signal,
    onWait: () => report('waiting for another start or stop of this stack'),
  });
  try {
    return await act(folder);
  } finally {
    await release();
  }
}

async function stopAll(place: Place, services: readonly Service[] = SERVICES): Promise<ServiceName[]> {
  const { stateDir, report } = place;
  const stopped: ServiceName[] = [];
  for (const { name, beforeStop } of [...services].reverse()) {
    // Also without a process: its containers outlive a killed engine.
    await beforeStop?.(stateDir, report);
    if (await stopProcess(stateDir, name)) stopped.push(name);
  }
  return stopped;
}

function contextOf({ environment, portBase, cacheDir }: StackOptions, stateDir: string): ServiceContext {
  const { address, uiPort } = readTemporalDeclaration();
  const ports = choosePorts(portBase, { temporal: address.port, temporalUi: uiPort });
  return { stateDir, cacheDir: resolve(cacheDir ?? defaultCacheDir(environment)), ports, environment, found: {} };
}

/** The parts that were asked for and those they need, without what the user has elsewhere. */
function selectServices(environment: Environment, only: readonly ServiceName[] = SERVICE_NAMES): Service[] {
  const wanted = new Set<ServiceName>(only);
  // Needs stand before what needs them, so one walk from the end collects them all.
  for (const { name, needs } of [...SERVICES].reverse()) {
    if (wanted.has(name)) needs.forEach((need) => wanted.add(need));
  }
  return SERVICES.filter(({ name, replacedBy }) => wanted.has(name) && !environment[replacedBy]);
}

/** Settings of the platform's own processes. */
async function platformSettings({ ports, stateDir }: ServiceContext): Promise<FoundSettings> {
  return {
    SLIPWAY_STATE_DIR: stateDir,
    ...processSettings(ports),
    SLIPWAY_SECRET_KEY: await loadSecretKey(stateDir),
  };
}

/** A full disk shows itself in many places; wherever it does, that is the sentence a person needs. */
function explain(error: unknown): unknown {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (('code' in link && link.code === 'ENOSPC') || /no space left on device/i.test(link.message)) {
      const message = 'the disk is full; free some space, then run the same command again';
      return new SlipwayError('unavailable', message, { cause: error });
    }
  }
  return error;
}

export function defaultCacheDir({ XDG_CACHE_HOME }: Environment): string {
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'slipway');
}
