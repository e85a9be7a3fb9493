import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../platform/engines/docker/engine.js';
import type { ContainerSpec, Handle } from '../../platform/engines/driver.js';
import { until } from '../e2e/until.js';
import { type Peer, startPeer } from './peer.js';

const ASK = `
import socket, sys
for target in sys.argv[1:]:
    host, port = target.split(":")
    try:
        socket.create_connection((host, int(port)), 3).close()
        print("reached", target)
    except OSError:
        print("kept from", target)
`;
const SERVE = 'import http.server as h; h.test(h.SimpleHTTPRequestHandler, port=8000)';

const engine = createDockerEngine({ docker: connectDocker(process.env.DOCKER_HOST ?? '') });
const made = new Set<Handle>();
let peer: Peer;
beforeAll(async () => {
  peer = await startPeer([443, 8_080]);
});
afterAll(() => peer.stop());
afterEach(async () => {
  await Promise.all([...made].map((handle) => engine.remove(handle)));
  made.clear();
});

async function launch(spec: Pick<ContainerSpec, 'network' | 'publish' | 'command'>): Promise<Handle> {
  const { handle } = await engine.create({
    ...{ name: `slipway-egress-${randomUUID().slice(0, 8)}`, image: 'slipway.local/python:3.11', workingDir: '/usr' },
    ...{ env: {}, labels: { kind: 'test' }, limits: { cpus: 1, memoryBytes: 128 * 2 ** 20 }, ...spec },
  });
  made.add(handle);
  await engine.start(handle);
  return handle;
}

/** Asks the peer at a web port and another one of its public address, then at its private address. */
async function ask(network: ContainerSpec['network']): Promise<string[]> {
  const targets = [`${peer.publicAddress}:443`, `${peer.publicAddress}:8080`, `${peer.privateAddress}:443`];
  const handle = await launch({ network, command: ['python3', '-c', ASK, ...targets] });
  const words: string[] = [];
  for await (const { text } of engine.logs(handle, { follow: true })) words.push(text.replace(/ [\d.:]+$/, ''));
  return words;
}

test('with `internet`, public addresses are reached, and private ones are not', async () => {
  expect(await ask('internet')).toEqual(['reached', 'reached', 'kept from']);
});

test('with `index`, web ports of public addresses are reached, and nothing else', async () => {
  expect(await ask('index')).toEqual(['reached', 'kept from', 'kept from']);
});

test('with `none` and a published port, the host is answered, and nothing is reached', async () => {
  const server = await launch({ network: 'none', publish: [8_000], command: ['python3', '-c', SERVE] });
  const state = await engine.state(server);
  const address = state?.phase === 'running' ? state.ports[8_000] : undefined;
  await until('the port', async () => (await fetch(`http://${address}/`).catch(() => undefined))?.ok);
  const targets = [`${peer.publicAddress}:443`, `${peer.privateAddress}:443`];
  const { output } = await engine.exec(server, ['python3', '-c', ASK, ...targets], { timeoutMs: 60_000 });
  expect(output.trim().split('\n')).toEqual(targets.map((target) => `kept from ${target}`));
});
