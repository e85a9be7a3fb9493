import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startWire, type Wire } from '../../../test/e2e/wire.js';
import type { PlatformProcess } from '../../../workers/compose/keep-running.js';
import { type ProcessName, startProcess } from '../../../workers/compose/supervisor.js';

export type Kind = Exclude<ProcessName, 'uploader'>;

/** The services that a worker reaches over a wire of its own, and the setting of each. */
export const SERVICES = {
  temporal: 'TEMPORAL_ADDRESS',
  database: 'MONGODB_URI',
  engine: 'DOCKER_HOST',
} as const;
export type ServiceName = keyof typeof SERVICES;

/** The processes of the installation. */
export const MEMBERS = {
  'api-1': 'api',
  'api-2': 'api',
  'worker-1': 'worker',
  'worker-2': 'worker',
  'worker-3': 'worker',
  'gateway-1': 'gateway',
  'gateway-2': 'gateway',
} as const satisfies Record<string, Kind>;
export type MemberName = keyof typeof MEMBERS;
export const NAMES = Object.keys(MEMBERS) as MemberName[];

export interface Member {
  process: PlatformProcess;
  /** The wires of a worker; other processes have none. */
  wires: Partial<Record<ServiceName, Wire>>;
}

export interface MembersOptions {
  /** The settings of the services. */
  environment: NodeJS.ProcessEnv;
  folder: string;
  /** The first of ten free ports. */
  portBase: number;
  report: (line: string) => void;
}

export type Members = Awaited<ReturnType<typeof startMembers>>;

/** Starts two APIs, three workers and two gateways on one database and one namespace. */
export async function startMembers({ environment, folder, portBase, report }: MembersOptions) {
  const members = new Map<MemberName, Member>();
  const gateways = [portBase, portBase + 1].map((port) => `http://127.0.0.1:${port}`);

  async function start(name: MemberName): Promise<void> {
    const kind = MEMBERS[name];
    const wires: Member['wires'] = kind === 'worker' ? await startWires(environment) : {};
    const process = await startProcess(kind, {
      environment: {
        ...environment,
        ...portsOf(name, portBase),
        ...addressesOf(wires),
        SLIPWAY_BASE_URL: gateways[0],
        // A gateway has a spool and a copy of the routes of its own.
        ...(kind === 'gateway' && { SLIPWAY_STATE_DIR: join(folder, name) }),
      },
      logDir: join(folder, 'logs', name),
      report: () => {},
    });
    members.set(name, { process, wires });
    report(`${name} is ready`);
  }

  async function stop(): Promise<void> {
    for (const { process: kept } of members.values()) signal(kept, 'SIGCONT');
    await Promise.all([...members.values()].map((member) => member.process.stop()));
    await Promise.all([...members.values()].flatMap(({ wires }) => Object.values(wires).map((wire) => wire.remove())));
  }

  try {
    await mkdir(folder, { recursive: true });
    // The others find the bundle of the workflows that the first worker builds.
    await start('worker-1');
    const ends = await Promise.allSettled(NAMES.filter((name) => name !== 'worker-1').map(start));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } catch (err) {
    await stop();
    throw err;
  }
  return {
    gateways,
    get(name: MemberName): Member {
      const member = members.get(name);
      if (member === undefined) throw new Error(`there is no ${name}`);
      return member;
    },
    stop,
  };
}

/** Sends a signal to the process that runs now, if one does. */
export function signal({ pid }: PlatformProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch (err) {
    if (!(err instanceof Error && 'code' in err && err.code === 'ESRCH')) throw err;
  }
}

async function startWires(environment: NodeJS.ProcessEnv): Promise<Record<ServiceName, Wire>> {
  const [temporal, database, engine] = await Promise.all(
    Object.values(SERVICES).map((setting) => startWire(environment[setting] ?? '')),
  );
  if (!temporal || !database || !engine) throw new Error('a wire is missing');
  return { temporal, database, engine };
}

const addressesOf = (wires: Member['wires']): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(wires).map(([service, { address }]) => [SERVICES[service as ServiceName], address]),
  );

/** The gateway of a number sends requests for the management API to the API of that number. */
function portsOf(name: MemberName, base: number): NodeJS.ProcessEnv {
  const port = (place: number): string => String(base + place + (name.endsWith('-2') ? 1 : 0));
  return {
    SLIPWAY_GATEWAY_PORT: port(0),
    SLIPWAY_API_PORT: port(2),
    SLIPWAY_API_INTERNAL_PORT: port(4),
    SLIPWAY_GATEWAY_INTERNAL_PORT: port(6),
    SLIPWAY_WORKER_INTERNAL_PORT: '',
  };
}
