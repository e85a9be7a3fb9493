import { createServer } from 'node:net';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../platform/kinds/errors.js';
import { PORTS_PER_INSTALLATION } from '../platform/kinds/ports.js';

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
