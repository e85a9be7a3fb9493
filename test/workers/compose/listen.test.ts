import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isPortFree } from '../../../stack/ports.js';
import { close, listen } from '../../../workers/compose/listen.js';
import { startPlatform } from '../../../workers/compose/platform.js';
import { findTestPortBase } from '../../stack/port-base.js';

const HOST = '127.0.0.1';
async function open(handle: RequestListener = (_req, res) => res.end('ok')) {
  const server = createServer(handle);
  await listen(server, { host: HOST, port: 0 });
  onTestFinished(() => void server.closeAllConnections());
  return { server, port: portOf(server) };
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

test('a port that is taken is named with its address', async () => {
  const { port, server } = await open();
  const second = createServer();
  await expect(listen(second, { host: HOST, port })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${HOST}:${port}`),
  });
  await close(server);
});

test('an address that is none of this machine is named too', async () => {
  await expect(listen(createServer(), { host: '192.0.2.1', port: 0 })).rejects.toMatchObject({ code: 'unavailable' });
});

test('a server that is closed takes no connection, but ends its last reply', async () => {
  let finish: (() => void) | undefined;
  const { server, port } = await open((_req, res) => {
    res.write('first ');
    finish = () => res.end('last');
  });
  const reply = await fetch(`http://${HOST}:${port}/`);
  const closing = close(server);
  await expect(fetch(`http://${HOST}:${port}/`)).rejects.toThrow();
  finish?.();
  expect(await reply.text()).toBe('first last');
  await closing;
  expect(await isPortFree(port)).toBe(true);
});

/** The replies to requests on one connection, which the client keeps. */
async function keep(port: number) {
  const socket = connect(port, HOST);
  await once(socket, 'connect');
  return {
    closed: once(socket, 'close'),
    send: () => void socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`),
    reply: async () => String((await once(socket, 'data'))[0]),
  };
}

test('a reply under way, and one to a last request on a kept connection, say that the connection ends', async () => {
  let finish: (() => void) | undefined;
  const { server, port } = await open((_req, res) => void (finish = () => res.end('ok')));
  const [busy, kept] = [await keep(port), await keep(port)];
  kept.send();
  await expect.poll(() => finish).toBeDefined();
  finish?.();
  expect(await kept.reply()).toMatch(/connection: keep-alive/i);
  finish = undefined;
  busy.send();
  await expect.poll(() => finish).toBeDefined();
  const finishBusy = finish as (() => void) | undefined;
  finish = undefined;
  const closing = close(server);
  finishBusy?.();
  expect(await busy.reply()).toMatch(/connection: close/i);
  kept.send();
  await expect.poll(() => finish).toBeDefined();
  (finish as (() => void) | undefined)?.();
  expect(await kept.reply()).toMatch(/connection: close/i);
  await Promise.all([closing, busy.closed, kept.closed]);
});

test('kept connections without a request do not hold it up', async () => {
  const { server, port } = await open();
  const idle = connect(port, HOST);
  await once(idle, 'connect');
  idle.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await once(idle, 'data');
  const ended = once(idle, 'close');
  await close(server, { patienceMs: 3_600_000 });
  await ended;
});

test('a stream that goes on is cut when patience is over', async () => {
  const { server, port } = await open((_req, res) => void res.write('one line'));
  const reply = await fetch(`http://${HOST}:${port}/`);
  const text = reply.text();
  text.catch(() => undefined);
  await close(server, { patienceMs: 5 });
  await expect(text).rejects.toThrow();
});

test.each(['SLIPWAY_GATEWAY_PORT', 'SLIPWAY_API_PORT', 'SLIPWAY_API_INTERNAL_PORT', 'SLIPWAY_GATEWAY_INTERNAL_PORT'])(
  'the platform does not begin to start when %s is taken',
  async (setting) => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-platform-'));
    const { server, port } = await open();
    const environment = {
      ...{ SLIPWAY_STATE_DIR: folder, SLIPWAY_PORT_BASE: String(await findTestPortBase()) },
      [setting]: String(port),
    };
    const lines: string[] = [];
    const starting = startPlatform({ environment, report: (line) => void lines.push(line) });
    await expect(starting).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(`${port}`) });
    expect(lines).toEqual([]);
    await close(server);
    await rm(folder, { recursive: true });
  },
);
