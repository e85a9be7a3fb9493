import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Koa from 'koa';
import { receiver as expressReceiver } from '../../receiver/express.js';
import { receiver as fetchReceiver } from '../../receiver/fetch.js';
import type { ReceiverOptions } from '../../receiver/handler.js';
import { receiver as koaReceiver } from '../../receiver/koa.js';
import { PATIENT } from '../patient-server.js';

export interface Mounted {
  send: (path: string, init: RequestInit) => Promise<Response>;
  close: () => Promise<unknown>;
}
export type Mount = <Tx>(options: ReceiverOptions<Tx>) => Promise<Mounted>;

/** A request listener of Node, Koa or Express. */
export type Listener = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A real server on a port of its own. */
export async function serve(listener: Listener): Promise<Mounted & { port: number }> {
  const server = createServer(PATIENT, (req, res) => void listener(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    send: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  };
}

/** Each has a route of its own behind the receiver, which answers 299. */
export const MOUNTS: Readonly<Record<string, Mount>> = {
  koa: (options) => {
    const app = new Koa();
    app.use(koaReceiver(options));
    app.use((ctx) => void (ctx.status = 299));
    return serve(app.callback());
  },
  express: (options) => {
    const app = express();
    app.use(expressReceiver(options));
    app.use((_req, res) => void res.status(299).end());
    return serve(app);
  },
  fetch: async (options) => {
    const handle = fetchReceiver(options);
    return {
      send: async (path, init) => {
        const response = await handle(new Request(`http://receiver.example${path}`, init));
        return response.status === 404 && !path.startsWith(options.path)
          ? new Response(null, { status: 299 })
          : response;
      },
      close: async () => undefined,
    };
  },
};
