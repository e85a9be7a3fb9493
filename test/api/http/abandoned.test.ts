import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import pino from 'pino';
import { createHttpApp } from '../../../api/http/app.js';
import type { HttpState } from '../../../api/http/state.js';
import { until } from '../../stack/scratch.js';

const begun: string[] = [];
const ended: string[] = [];
const app = createHttpApp<HttpState>({
  logger: pino({ enabled: false }),
  render: () => ({ status: 503, body: {} }),
  subjectOf: () => undefined,
  outer: [
    async ({ path }, next) => {
      await next();
      ended.push(path);
    },
  ],
});
app.use((ctx) => {
  begun.push(ctx.path);
  ctx.body = '';
});

let server: Server;
let port: number;
beforeAll(async () => {
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());

/** For long enough that the kernel has delivered what was sent before. */
function suspendProcess(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}

/** Sends a request; `leaves`: closes the connection right behind it, as a client does that waited in vain. */
async function send(method: string, path: string, { leaves }: { leaves: boolean }): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`);
  if (leaves) {
    socket.destroy();
    suspendProcess();
  }
  await until(() => ended.includes(path));
  socket.destroy();
}

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s of a client that is gone changes nothing', async (method) => {
  await send(method, `/gone/${method}`, { leaves: true });
  expect(begun).not.toContain(`/gone/${method}`);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s of a client that waits is done', async (method) => {
  await send(method, `/there/${method}`, { leaves: false });
  expect(begun).toContain(`/there/${method}`);
});
