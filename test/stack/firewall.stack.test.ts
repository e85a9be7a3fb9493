import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execa } from 'execa';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../platform/engines/docker/engine.js';
import type { Handle } from '../../platform/engines/driver.js';
import { containerRange, digestOf } from '../../stack/engine-settings.js';
import { layFirewall, removeDeadFirewalls, removeFirewall } from '../../stack/firewall.js';
import { until } from '../e2e/until.js';
import { STATE_DIR } from './test-stack.js';

/** Asks the host by the container's own gateway address, where a service on every address would answer. */
const ASK = `
import socket, struct, sys
for line in open("/proc/net/route"):
    fields = line.split()
    if fields[1] == "00000000":
        gateway = socket.inet_ntoa(struct.pack("<L", int(fields[2], 16)))
try:
    socket.create_connection((gateway, int(sys.argv[1])), 5).close()
    print("connected")
except OSError as err:
    print("kept out", type(err).__name__)
`;

/** Asks another container for ten seconds. */
const KNOCK = `
import socket, sys, time
end, let_in = time.monotonic() + 10, 0
while time.monotonic() < end:
    try:
        socket.create_connection((sys.argv[1], 8000), 0.02).close()
        let_in += 1
    except OSError:
        time.sleep(0.002)
print("let in", let_in, "times")
`;

const engine = createDockerEngine({ docker: connectDocker(process.env.DOCKER_HOST ?? '') });
const made = new Set<Handle>();
afterEach(async () => {
  await Promise.all([...made].map((handle) => engine.remove(handle)));
  made.clear();
});

async function launch(...command: string[]): Promise<Handle> {
  const { handle } = await engine.create({
    name: `slipway-firewall-${randomUUID().slice(0, 8)}`,
    image: 'slipway.local/python:3.11',
    command,
    env: {},
    labels: { kind: 'test' },
    network: 'internet',
    limits: { cpus: 1, memoryBytes: 128 * 2 ** 20 },
  });
  made.add(handle);
  await engine.start(handle);
  return handle;
}

async function lastLine(handle: Handle): Promise<string> {
  const lines: string[] = [];
  for await (const { text } of engine.logs(handle, { follow: true })) lines.push(text);
  return lines.at(-1) ?? '';
}

test('a container cannot reach a service of the host, not even one that listens on every address', async () => {
  const server = createServer((_req, res) => void res.end()).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    expect((await fetch(`http://127.0.0.1:${port}`)).ok).toBe(true);
    expect(await lastLine(await launch('python3', '-c', ASK, String(port)))).toMatch(/^kept out/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('rules and interfaces of an installation whose folder is gone are removed, those of others stay', async () => {
  const there = await newFolder([STATE_DIR]);
  const gone = await newFolder([STATE_DIR, there]);
  for (const stateDir of [gone, there]) await layFirewall({ stateDir, open: [], resolvers: [] });
  const bridge = `slipwayw${randomUUID().slice(0, 6)}`;
  try {
    await execa('ip', ['link', 'add', bridge, 'type', 'bridge']);
    await execa('ip', ['address', 'add', containerRange(gone).replace('0.0/16', '250.1/24'), 'dev', bridge]);
    await removeDeadFirewalls(there);
    expect((await execa('ip', ['link', 'show', bridge])).exitCode).toBe(0);
    await rm(gone, { recursive: true });
    await removeDeadFirewalls(there);
    expect((await execa('ip', ['link', 'show', bridge], { reject: false })).exitCode).not.toBe(0);
    const { stdout } = await execa('nft', ['list', 'tables', 'inet']);
    expect([gone, there].map((folder) => stdout.includes(digestOf(folder)))).toEqual([false, true]);
  } finally {
    await execa('ip', ['link', 'delete', bridge], { reject: false });
    await removeFirewall(there);
    await rm(there, { recursive: true });
  }
});

/** The folder of an installation whose containers have other addresses than those of these installations. */
async function newFolder(others: readonly string[]): Promise<string> {
  const taken = others.map(containerRange);
  for (;;) {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-firewall-'));
    await mkdir(join(folder, 'engine'));
    if (!taken.includes(containerRange(folder))) return folder;
    await rm(folder, { recursive: true });
  }
}

/** As on a host where another installation's rules, and the engine's own, come before those that isolate containers. */
test('a container cannot reach another, not even while networks come and go and rules of others let it', async () => {
  const admit = ['FORWARD', '-i', 'slipway+', '-o', 'slipway+', '-j', 'ACCEPT'];
  await execa('iptables', ['-I', ...admit]);
  onTestFinished(async () => void (await execa('iptables', ['-D', ...admit])));
  const server = await launch('python3', '-m', 'http.server', '8000', '--directory', '/usr/share');
  const { output } = await engine.exec(server, ['hostname', '-i'], { timeoutMs: 120_000 });
  const address = output.trim();
  await until(
    'the server to answer the host',
    async () => (await fetch(`http://${address}:8000`).catch(() => undefined))?.ok,
  );
  const knocking = lastLine(await launch('python3', '-c', KNOCK, address));
  let isKnocking = true;
  void knocking.then(() => (isKnocking = false));
  while (isKnocking) {
    const passing = await launch('true');
    await engine.remove(passing);
    made.delete(passing);
  }
  expect(await knocking).toBe('let in 0 times');
});
