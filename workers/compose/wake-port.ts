import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { WakePort } from '../../activities/deployment/wake-port.js';
import type { Woken } from '../../activities/deployment/scaling.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { close, listen } from './listen.js';

/** Binds to every address of the machine: gateways find it by its name. */
const WILDCARDS = ['0.0.0.0', '::'];

/** Opens the port at which gateways ask the supervisors of this process for a replica; the route table names it. */
export async function openWakePort({ host, port }: { host: string; port: number }) {
  const wakes = new Map<string, () => Promise<Woken>>();
  const token = randomBytes(24).toString('base64url');
  const server = createServer((req, res) => void answer(req, res));
  await listen(server, { host, port });
  const name = WILDCARDS.includes(host) ? hostname() : host;
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${bound}`;

  function send(res: ServerResponse, status: number, body: object): void {
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    req.resume();
    if (!isEqual(req.headers.authorization ?? '', `Bearer ${token}`))
      return send(res, 401, { message: 'Unauthorized' });
    const id = /^\/wake\/([\w.-]+)$/.exec(req.url ?? '')?.[1];
    const wake = req.method === 'POST' ? wakes.get(id ?? '') : undefined;
    if (wake === undefined) return send(res, 404, { message: 'no such deployment is supervised here' });
    try {
      send(res, 200, await wake());
    } catch (err) {
      if (err instanceof SlipwayError && err.expose) send(res, err.status, { message: err.message });
      else send(res, 500, { message: 'Internal Server Error' });
    }
  }

  const wakePort: WakePort = {
    address: () => ({ url, token }),
    open: (id, wake) => {
      wakes.set(id, wake);
      return () => {
        if (wakes.get(id) === wake) wakes.delete(id);
      };
    },
  };
  return { wakePort, close: () => close(server) };
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
