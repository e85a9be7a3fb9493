import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a registry that breaks off: each planned cut ends a connection after so many bytes of its direction. */
export async function startCuttingProxy(target: string) {
  const [host, port] = target.split(':');
  const cuts: { direction: 'up' | 'down'; bytes: number }[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    const end = () => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    pass(client, upstream, 'up', end);
    pass(upstream, client, 'down', end);
  });

  function pass(from: Socket, to: Socket, direction: 'up' | 'down', end: () => void): void {
    let bytes = 0;
    from.on('data', (chunk: Buffer) => {
      const [next] = cuts;
      bytes += chunk.length;
      if (next?.direction !== direction || bytes < next.bytes) return void to.write(chunk);
      cuts.shift();
      // The other side gets what came before, and then nothing.
      to.end(chunk.subarray(0, Math.max(0, chunk.length - (bytes - next.bytes))), end);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts,
    async stop() {
      for (const client of open) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
