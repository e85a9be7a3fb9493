import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFetch } from '../../cli/proxy.js';
import { sendJson, startReplyServer, type ReplyServer } from '../client/reply-server.js';

const entity = (id: number) => ({
  ...{ kind: 'ModelTraining', id: `training-${id}`, uid: 'u', generation: 1, createdBy: 'ada', updatedBy: 'ada' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  spec: { model: { name: 'x'.repeat(2_000), version: '1' }, toolchain: 't' },
  status: { state: 'running', transitions: [], artifacts: [] },
});
const program = fileURLToPath(new URL('../../cli/bin/slipway.mjs', import.meta.url));
let server: ReplyServer;
beforeAll(async () => {
  server = await startReplyServer(({ url }, response) => {
    if (/training\/[^?]+\/log/.test(url)) return void response.writeHead(200).write('one line\n');
    if (/training\/[^?]/.test(url)) return sendJson(response, 200, entity(1));
    sendJson(
      response,
      200,
      Array.from({ length: 400 }, (_, id) => entity(id)),
    );
  });
});
afterAll(() => server.stop());

/** Starts the command as a shell does. */
function start(args: string[], environment: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    SLIPWAY_SERVER: server.url,
    SLIPWAY_TOKEN: 't',
    ...environment,
  };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += String(chunk)));
  const ended = Promise.all([once(child, 'exit'), finished(child.stderr)]).then(([[exitCode, signal]]) => ({
    ...{ exitCode: exitCode as number | null, signal: signal as string | null, ...texts },
  }));
  const until = async (text: string): Promise<void> => {
    while (!`${texts.out}${texts.err}`.includes(text)) await once(child.stdout, 'data');
  };
  return { child, ended, until };
}

test.concurrent('data go to standard output alone, and the version is that of the package', async () => {
  const [list, version] = await Promise.all([
    start(['get', 'trainings', '-o', 'json']).ended,
    start(['--version']).ended,
  ]);
  expect(list).toMatchObject({ exitCode: 0, err: '' });
  expect(JSON.parse(list.out)).toHaveLength(400);
  expect([version.exitCode, version.out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/)]);
});

test.concurrent('a reader that has enough ends the command without an error', async () => {
  const { child, ended } = start(['get', 'trainings', '-o', 'json']);
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await ended).toMatchObject({ exitCode: 0, err: '' });
});

test.concurrent(
  'a wrong command line, and settings that are not valid, have their exit code as a process too',
  async () => {
    const [wrong, settings] = await Promise.all([
      start(['gte']).ended,
      start(['config'], { SLIPWAY_API_PORT: 'many' }).ended,
    ]);
    expect([wrong.exitCode, wrong.out, settings.exitCode, settings.out]).toEqual([2, '', 2, '']);
    expect(settings.err).toContain('SLIPWAY_API_PORT');
  },
);

test.concurrent.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a command that follows a log with 130',
  async (signal) => {
    const { child, ended, until } = start(['logs', '-f', 'training', 'wine']);
    await until('one line');
    child.kill(signal);
    expect(await ended).toMatchObject({ exitCode: 130, out: 'one line\n', err: '' });
  },
);

/** A proxy for HTTP that notes what it is asked for, and answers itself. */
async function startProxy() {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    sendJson(response, 200, { username: 'through the proxy', roles: [] });
  }).on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url ?? ''}`);
    const { port, hostname } = new URL(server.url);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const line = connect(Number(port), hostname);
    socket.pipe(line).pipe(socket);
    for (const end of [socket, line]) end.on('error', () => end.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const stop = () => {
    proxy.closeAllConnections();
    proxy.close();
  };
  return { url, asked, stop };
}

test('requests go through the proxy of the environment, except to hosts that need none', async () => {
  const proxy = await startProxy();
  const through = await start(['get', 'training', 'wine', '-o', 'name'], { http_proxy: proxy.url }).ended;
  expect([through.exitCode, through.err, proxy.asked.length]).toEqual([0, '', 1]);
  const past = await start(['get', 'training', 'wine', '-o', 'name'], { http_proxy: proxy.url, no_proxy: '127.0.0.1' })
    .ended;
  expect([past.exitCode, past.out, proxy.asked.length]).toEqual([0, 'training/training-1\n', 1]);
  proxy.stop();
  const away = await start(['whoami'], { HTTP_PROXY: 'http://127.0.0.1:9' }).ended;
  expect([away.exitCode, away.out]).toEqual([6, '']);
});

test.each([{}, { http_proxy: '' }, { no_proxy: '*' }])(
  'without a proxy the own fetch of Node.js is used: %o',
  async (env) => {
    expect(await createFetch(env)).toBe(globalThis.fetch);
  },
);
