import { randomInt, randomUUID } from 'node:crypto';
import { createConnection } from 'node:net';
import { execa } from 'execa';
import { until } from '../e2e/until.js';

export interface Peer {
  publicAddress: string;
  privateAddress: string;
  stop(): Promise<void>;
}

const LISTEN = 'for (const port of process.argv.slice(1)) require("net").createServer((s) => s.end()).listen(port)';

/** A neighbour of this host in a network namespace of its own, with a public and a private address, listening at `ports`. */
export async function startPeer(ports: readonly number[]): Promise<Peer> {
  const id = randomUUID().slice(0, 8);
  const namespace = `peer-${id}`;
  const [here, there] = [`ph${id}`, `pt${id}`];
  const block = 4 * randomInt(64);
  const networks = [`198.51.100`, `10.${randomInt(200, 250)}.${randomInt(250)}`];
  const ip = (...args: string[]) => execa('ip', args);
  await ip('netns', 'add', namespace);
  await ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', namespace);
  for (const network of networks) {
    await ip('addr', 'add', `${network}.${block + 1}/30`, 'dev', here);
    await ip('-n', namespace, 'addr', 'add', `${network}.${block + 2}/30`, 'dev', there);
  }
  await ip('link', 'set', here, 'up');
  await ip('-n', namespace, 'link', 'set', there, 'up');
  const numbers = ports.map(String);
  const server = execa('ip', ['netns', 'exec', namespace, process.execPath, '-e', LISTEN, ...numbers], {
    reject: false,
  });
  const [publicAddress = '', privateAddress = ''] = networks.map((network) => `${network}.${block + 2}`);
  for (const host of [publicAddress, privateAddress])
    for (const port of ports) await until(`${host}:${port} to answer the host`, () => answers(host, port));
  return {
    publicAddress,
    privateAddress,
    async stop() {
      server.kill();
      await server;
      await ip('link', 'del', here);
      await ip('netns', 'del', namespace);
    },
  };
}

const answers = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 1_000 });
    const end = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
