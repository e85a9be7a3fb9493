import { join, resolve } from 'node:path';
import { parseSettings, type Settings } from '../../config.js';
import { choosePorts, type PortName } from '../../platform/kinds/ports.js';
import { requireFreePort } from '../../stack/ports.js';
import { startStack, stopStack } from '../../stack/stack.js';
import { watchServices } from '../../stack/watch.js';
import type { PlatformProcess } from './keep-running.js';
import { PROCESSES, type ProcessName, startProcess } from './supervisor.js';

export interface PlatformOptions {
  environment: NodeJS.ProcessEnv;
  report: (line: string) => void;
  /** Ends the start before its time; what it started is stopped again. */
  signal?: AbortSignal;
}

export interface Platform {
  settings: Settings;
  /** The environment of every process; for more processes of the same installation. */
  environment: NodeJS.ProcessEnv;
  processes: Readonly<Record<ProcessName, PlatformProcess>>;
  /** Ends the processes, then the embedded stack unless `keepStack`. */
  stop(options?: { keepStack?: boolean }): Promise<void>;
}

/**
 * The whole platform on this machine: the embedded stack where no address points elsewhere, then its processes. Both are
 * watched: a service or a process that ends by itself is started again.
 */
export async function startPlatform({ environment, report, signal }: PlatformOptions): Promise<Platform> {
  const stateDir = resolve(environment.SLIPWAY_STATE_DIR ?? '.slipway');
  const portBase = environment.SLIPWAY_PORT_BASE === undefined ? undefined : Number(environment.SLIPWAY_PORT_BASE);
  await requireOwnPorts(environment, portBase);
  const stack = { stateDir, portBase, cacheDir: environment.SLIPWAY_CACHE_DIR, environment, report };
  const found = await startStack({ ...stack, signal });
  const complete = { ...found, ...environment, SLIPWAY_STATE_DIR: stateDir };
  const settings = parseSettings(complete);
  const services = watchServices(stack);
  const started: [ProcessName, PlatformProcess][] = [];
  const stop = async ({ keepStack = false } = {}): Promise<void> => {
    await services.stop();
    await Promise.all(started.map(([, child]) => child.stop()));
    if (!keepStack) await stopStack({ stateDir, report });
  };
  const failing = new AbortController();
  const options = {
    environment: complete,
    logDir: join(stateDir, 'logs'),
    report,
    signal: AbortSignal.any([failing.signal, ...(signal ? [signal] : [])]),
  };
  const starts = PROCESSES.map(async (name) => {
    started.push([name, await startProcess(name, options)]);
    report(`${name} is ready`);
  });
  try {
    await Promise.all(starts);
  } catch (err) {
    failing.abort();
    await Promise.allSettled(starts); // one that is about to be ready would be left behind
    await stop();
    throw err;
  }
  const processes = Object.fromEntries(started) as Record<ProcessName, PlatformProcess>;
  return { settings, environment: complete, processes, stop };
}

const OWN_PORTS = {
  gateway: 'SLIPWAY_GATEWAY_PORT',
  api: 'SLIPWAY_API_PORT',
  apiInternal: 'SLIPWAY_API_INTERNAL_PORT',
  gatewayInternal: 'SLIPWAY_GATEWAY_INTERNAL_PORT',
} as const satisfies Partial<Record<PortName, keyof Settings>>;

/** Before anything is started: a port that is taken is named with its holder. */
async function requireOwnPorts(environment: NodeJS.ProcessEnv, portBase: number | undefined): Promise<void> {
  const ports = choosePorts(portBase, { temporal: 0, temporalUi: 0 });
  for (const [name, setting] of Object.entries(OWN_PORTS)) {
    await requireFreePort(Number(environment[setting] ?? ports[name as keyof typeof OWN_PORTS]), `the ${name}`);
  }
}
