import { afterAll, expect, test } from 'vitest';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Agent } from 'undici';
import { createWebhookSender } from '../../../activities/notifications/webhook-sender.js';
import { collectGarbage } from '../../collect-garbage.js';

const agent = new Agent({ connect: { timeout: 3_000, rejectUnauthorized: true } });
const open: Server[] = [];
afterAll(async () => {
  await agent.destroy();
  for (const server of open) server.close();
});

/** Opens a server with its own handling of each connection. @returns its address */
async function serve(behave: (socket: Socket) => void, create = createServer, scheme = 'http'): Promise<URL> {
  const sockets = new Set<Socket>();
  const server = create((socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    behave(socket);
  });
  const close = server.close.bind(server);
  server.close = (callback) => {
    for (const socket of sockets) socket.destroy();
    return close(callback);
  };
  open.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
}

const send = (url: URL, { answerMs = 30_000, totalMs = 60_000, signal = undefined as AbortSignal | undefined } = {}) =>
  createWebhookSender({ dispatcher: agent, answerMs }).send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    fresh: true,
    deadline: new Date(Date.now() + totalMs),
    ...(signal && { signal }),
  });

const answer = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text));
const status = (code: number, headers = '') => answer(`HTTP/1.1 ${code} X\r\n${headers}content-length: 0\r\n\r\n`);

const CLOSED = new URL('http://127.0.0.1:9/hook');

test('a refused connection sent nothing', async () => {
  expect(await send(CLOSED)).toMatchObject({ outcome: 'not_sent', bytesLeft: false });
});

test('a name without an address sent nothing', async () => {
  expect(await send(new URL('http://receiver.invalid/hook'))).toMatchObject({ outcome: 'not_sent', bytesLeft: false });
});

test('a server that does not speak TLS, and one that never answers the handshake, were sent nothing', async () => {
  const plain = await serve(answer('HTTP/1.1 200 OK\r\n\r\n'), createServer, 'https');
  expect(await send(plain)).toMatchObject({ outcome: 'not_sent', bytesLeft: false });
  const silent = await serve(() => {}, createServer, 'https');
  expect(await send(silent)).toMatchObject({ outcome: 'not_sent', bytesLeft: false });
});

test('a certificate without a known issuer sends nothing', async () => {
  const url = await serve(
    () => {},
    ((behave: (socket: Socket) => void) => createTlsServer({}, behave)) as never,
    'https',
  );
  expect(await send(url)).toMatchObject({ outcome: 'not_sent', bytesLeft: false });
});

test('a reset after the request left is ambiguous', async () => {
  const url = await serve((socket) => void socket.once('data', () => socket.resetAndDestroy()));
  expect(await send(url)).toMatchObject({ outcome: 'ambiguous', bytesLeft: true });
});

test('a silent close, garbage, a cut status line and 1xx without an end are ambiguous', async () => {
  const ways = [
    (socket: Socket) => void socket.once('data', () => socket.end()),
    answer('garbage that is no HTTP\r\n\r\n'),
    (socket: Socket) => void socket.once('data', () => socket.end('HTTP/1.1 20')),
    (socket: Socket) => void socket.once('data', () => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')),
  ];
  for (const way of ways) {
    expect(await send(await serve(way))).toMatchObject({ outcome: 'ambiguous', bytesLeft: true });
  }
});

test('no answer in time is ambiguous, whether or not the request was read', async () => {
  const read = await serve((socket) => void socket.on('data', () => {}));
  expect(await send(read, { answerMs: 400 })).toMatchObject({ outcome: 'ambiguous' });
  const unread = await serve((socket) => void socket.pause());
  expect(await send(unread, { answerMs: 400 })).toMatchObject({ outcome: 'ambiguous' });
});

test('the total limit holds for an answer that drips', async () => {
  const url = await serve((socket) => {
    const drip = setInterval(() => socket.write('H'), 50);
    socket.on('close', () => clearInterval(drip));
  });
  expect(await send(url, { answerMs: 60_000, totalMs: 2_000 })).toMatchObject({ outcome: 'ambiguous' });
});

test('the deadline is kept when garbage is collected meanwhile', async () => {
  const url = await serve((socket) => void socket.once('data', () => setTimeout(collectGarbage, 200)));
  const { signal } = new AbortController();
  expect(await send(url, { answerMs: 60_000, totalMs: 2_000, signal })).toMatchObject({ outcome: 'ambiguous' });
});

test('a complete 2xx is a confirmation, even when its body is cut or never ends', async () => {
  expect(await send(await serve(status(204)))).toMatchObject({ outcome: 'confirmed', status: 204 });
  const cut = await serve((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
  );
  expect(await send(cut)).toMatchObject({ outcome: 'confirmed', answer: 'half' });
  const endless = await serve((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = setInterval(() => socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`), 1);
      socket.on('close', () => clearInterval(more));
    });
  });
  const ended = await send(endless);
  expect(ended).toMatchObject({ outcome: 'confirmed' });
  expect(ended.answer).toHaveLength(16 * 1024);
});

test('1xx before the answer are passed over', async () => {
  const url = await serve(answer('HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  expect(await send(url)).toMatchObject({ outcome: 'confirmed' });
});

test('any other complete answer is a refusal; redirects are not followed', async () => {
  for (const code of [400, 401, 404, 409, 500, 599]) {
    expect(await send(await serve(status(code)))).toMatchObject({ outcome: 'refused', status: code });
  }
  let followed = false;
  const target = await serve((socket) => void (followed = Boolean(socket)));
  const url = await serve(status(307, `location: ${target.href}\r\n`));
  expect(await send(url)).toMatchObject({ outcome: 'refused', status: 307 });
  expect(followed).toBe(false);
});

test('commands of the receiver are returned', async () => {
  expect(await send(await serve(status(410)))).toMatchObject({ outcome: 'refused', command: 'disable' });
  const disable = await serve(status(500, 'webhook-delivery: disable\r\n'));
  expect(await send(disable)).toMatchObject({ command: 'disable' });
  const abort = await serve(status(400, 'webhook-delivery: abort-message\r\n'));
  expect(await send(abort)).toMatchObject({ command: 'abort' });
  const { at, retryAt } = await send(await serve(status(503, 'retry-after: 120\r\n')));
  expect(Date.parse(retryAt ?? '') - Date.parse(at)).toBeGreaterThan(118_000);
});

test('concurrent requests are kept apart', async () => {
  const [good, closed] = [await serve(status(200)), CLOSED];
  const ends = await Promise.all([good, closed, good, closed].map((url) => send(url)));
  expect(ends.map(({ outcome }) => outcome)).toEqual(['confirmed', 'not_sent', 'confirmed', 'not_sent']);
});

test('only an end without a connection is called unreachable', async () => {
  const [closed, silent, reset, wrong] = [
    CLOSED,
    await serve(() => {}, createServer, 'https'),
    await serve((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    await serve(status(500)),
  ];
  const ends = await Promise.all([closed, silent, reset, wrong].map((url) => send(url)));
  expect(ends.map(({ unreachable }) => unreachable)).toEqual([true, true, undefined, undefined]);
});

test('an invalid request and one that its caller gave up say nothing about the host', async () => {
  const sender = createWebhookSender({ dispatcher: agent });
  const given = { method: 'POST', body: '', fresh: true, deadline: new Date(Date.now() + 60_000) } as const;
  const url = CLOSED;
  const invalid = await sender.send({ ...given, url, headers: { 'not a name': 'x' } });
  const givenUp = await sender.send({ ...given, url, headers: {}, signal: AbortSignal.abort() });
  const late = await sender.send({ ...given, url, headers: {}, deadline: new Date(0) });
  expect([invalid, givenUp, late].map(({ outcome, unreachable }) => [outcome, unreachable])).toEqual([
    ['not_sent', undefined],
    ['not_sent', undefined],
    ['not_sent', undefined],
  ]);
});
