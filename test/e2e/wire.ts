import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A wire to a service (`unix:///run/engine.sock`, `tcp://host:port`, `host:port`) that can be cut, that can go silent, and
 * that can lose an answer: what is asked arrives, and who asked hears nothing.
 */
export async function startWire(service: string) {
  const { protocol, pathname, hostname, port } = new URL(service.includes('://') ? service : `tcp://${service}`);
  const isSocket = protocol === 'unix:';
  const far: NetConnectOpts = isSocket ? { path: pathname } : { host: hostname, port: Number(port) };
  const folder = await mkdtemp(join(tmpdir(), 'slipway-wire-'));
  let near: string | number = isSocket ? join(folder, 'wire.sock') : 0;
  const open = new Set<Socket>();
  let loss: { request: string; lost: () => void } | undefined;
  let isSilent = false;

  const server = createServer((asking) => {
    const answering = connect(far);
    let lost: (() => void) | undefined;
    asking.on('data', (chunk) => {
      if (loss !== undefined && chunk.includes(loss.request)) [lost, loss] = [loss.lost, undefined];
      answering.write(chunk);
    });
    answering.on('data', (chunk) => void (lost === undefined ? asking.write(chunk) : lost()));
    tie(asking, answering);
    tie(answering, asking);
  });

  function tie(one: Socket, other: Socket): void {
    open.add(one);
    one.on('end', () => other.end()).on('error', () => other.destroy());
    one.on('close', () => open.delete(one));
    if (isSilent) one.pause();
  }

  /** Where it was before, so that it is found again. What a silent wire holds back arrives now. */
  async function mend(): Promise<void> {
    if (isSilent) {
      isSilent = false;
      for (const socket of open) socket.resume();
      return;
    }
    await once(typeof near === 'number' ? server.listen(near, '127.0.0.1') : server.listen(near), 'listening');
    if (typeof near === 'number') near = (server.address() as AddressInfo).port;
  }

  /** Stops listening and breaks the open connections. */
  async function cut(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    open.forEach((socket) => socket.destroy());
    await closed;
  }

  /** Keeps every connection open and lets nothing pass, as a network that loses packets. */
  function silence(): void {
    isSilent = true;
    for (const socket of open) socket.pause();
  }

  await mend();
  return {
    /** In the form of the service's own. */
    address: isSocket ? `unix://${near}` : `${service.includes('://') ? `${protocol}//` : ''}127.0.0.1:${near}`,
    cut,
    silence,
    mend,
    /** Drops the answers on the connection of the next request with this text. Resolves with the first one lost. */
    loseAnswerTo: (request: string) => new Promise<void>((lost) => (loss = { request, lost })),
    async remove(): Promise<void> {
      if (server.listening) await cut();
      await rm(folder, { recursive: true });
    },
  };
}
export type Wire = Awaited<ReturnType<typeof startWire>>;
