import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A service behind a line that can be cut: open connections break, new ones are refused until it is mended. */
export async function createProxy(target: { host: string; port: number }, onRequest = (_data: Buffer): void => {}) {
  const open = new Set<Socket>();
  let passed = 0;
  const server = createServer((client) => {
    const upstream = connect(target);
    client.on('data', onRequest);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy()).on('close', () => open.delete(from));
      from.on('data', (data) => (passed += data.length));
      from.pipe(to);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    passedBytes: () => passed,
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    mend: () => listen(port),
  };
}
