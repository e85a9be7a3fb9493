import { createServer } from 'node:net';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../platform/kinds/errors.js';

/** Every port of a development installation: its default, and its place above `SLIPWAY_PORT_BASE` when that is set. */
// prettier-ignore
const PORTS = {
  gateway:         { standard: 8080,      offset: 0 },
  api:             { standard: 8081,      offset: 1 },
  temporal:        { standard: undefined, offset: 2 }, // temporal-dev.yaml says
  temporalUi:      { standard: undefined, offset: 3 }, // temporal-dev.yaml says
  mongodb:         { standard: 27_017,    offset: 4 },
  storage:         { standard: 4443,      offset: 5 },
  registry:        { standard: 5000,      offset: 6 },
  issuer:          { standard: 9000,      offset: 7 },
  apiInternal:     { standard: 8082,      offset: 8 }, // health and metrics
  gatewayInternal: { standard: 8083,      offset: 9 }, // health and metrics
} as const;
export type PortName = keyof typeof PORTS;
export type Ports = Readonly<Record<PortName, number>>;

/** Ports from `base` to `base + 9` belong to one installation. */
const PORTS_PER_INSTALLATION = 10;

export function choosePorts(base: number | undefined, declared: Pick<Ports, 'temporal' | 'temporalUi'>): Ports {
  const entries = Object.entries(PORTS).map(([name, { standard, offset }]) => [
    name,
    base === undefined ? standard : base + offset,
  ]);
  const chosen = Object.fromEntries(entries) as Ports; // the keys are those of PORTS
  return base === undefined ? { ...chosen, ...declared } : chosen;
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** @throws unavailable naming the port and, where the system tells, the process that holds it */
export async function requireFreePort(port: number, service: string): Promise<void> {
  const owner = await findLastingOwner(port);
  if (owner === 'none') return;
  const who = owner !== 'unknown' ? ` by process ${owner.pid} (${owner.command})` : '';
  throw new SlipwayError(
    'unavailable',
    `port ${port} of ${service} is in use${who}; stop that process, or set SLIPWAY_PORT_BASE to the first of ten free ports`,
  );
}

/** A port without a holder that we can see may be one that is just being given up: that takes a moment. */
async function findLastingOwner(port: number): Promise<PortOwner | 'none' | 'unknown'> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    if (await isPortFree(port)) return 'none';
    const owner = await findPortOwner(port);
    if (owner) return owner;
    await sleep(100);
  }
  return 'unknown';
}

interface PortOwner {
  pid: number;
  command: string;
}

/** The process that listens on a TCP port, from Linux's /proc; undefined elsewhere or for other users' processes. */
async function findPortOwner(port: number): Promise<PortOwner | undefined> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return undefined;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode && inodes.has(inode)) return { pid: Number(pid), command: await readCommand(pid) };
    }
  }
  return undefined;
}

async function listeningInodes(port: number): Promise<Set<string>> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const inodes = new Set<string>();
  for (const line of tables.join('\n').split('\n')) {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    const LISTEN = '0A';
    if (state === LISTEN && inode && local?.endsWith(`:${hex}`)) inodes.add(inode);
  }
  return inodes;
}

async function readCommand(pid: string): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return line.replaceAll('\0', ' ').trim().slice(0, 100);
}

/** The first of ten ports that are free at this moment, away from those that systems hand out by themselves. */
export async function findFreePortBase({ first = 18_000, last = 30_000 } = {}): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const base = first + PORTS_PER_INSTALLATION * Math.floor((Math.random() * (last - first)) / PORTS_PER_INSTALLATION);
    const ports = Array.from({ length: PORTS_PER_INSTALLATION }, (_, offset) => base + offset);
    if ((await Promise.all(ports.map(isPortFree))).every(Boolean)) return base;
  }
  throw new SlipwayError('unavailable', `no ten free ports in a row between ${first} and ${last}`);
}
