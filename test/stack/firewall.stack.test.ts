import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { connectDocker } from '../../engines/docker/connect.js';
import { createDockerEngine } from '../../engines/docker/engine.js';

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

test('a container cannot reach a service of the host, not even one that listens on every address', async () => {
  const server = createServer((_req, res) => void res.end()).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const engine = createDockerEngine({ docker: connectDocker(process.env.DOCKER_HOST ?? '') });
  const { handle } = await engine.create({
    name: `slipway-firewall-${randomUUID().slice(0, 8)}`,
    image: 'slipway.local/python:3.11',
    command: ['python3', '-c', ASK, String(port)],
    env: {},
    labels: { kind: 'test' },
    network: 'isolated',
    limits: { cpus: 1, memoryBytes: 128 * 2 ** 20 },
  });
  try {
    expect((await fetch(`http://127.0.0.1:${port}`)).ok).toBe(true);
    await engine.start(handle);
    const lines: string[] = [];
    for await (const { text } of engine.logs(handle, { follow: true })) lines.push(text);
    expect(lines.at(-1)).toMatch(/^kept out/);
  } finally {
    await engine.remove(handle);
    server.closeAllConnections();
    server.close();
  }
}, 60_000);
