import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createRoutes } from '../../gateway/routes.js';
import { createRouteReaders } from '../../lifecycle/stores/route-readers.js';
import { createHostCheck } from '../../platform/kinds/allowed-hosts.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { eventually, listen, shut, startEdge, startModel, wine, NO_ROUTES } from './edge.js';
import { silent } from './silent.js';

test('what is not for a model goes to the management API as it is, and comes back as it is', async () => {
  const api = await startModel(({ method, url, headers, body }) => ({
    status: 201,
    headers: { 'x-total-count': '3', 'set-cookie': ['a=1', 'b=2'] },
    body: JSON.stringify({
      method,
      url,
      body,
      authorization: headers.authorization,
      host: headers['x-forwarded-host'],
    }),
  }));
  const edge = await startEdge([], { apiUrl: api.url });
  const reply = await fetch(`${edge.url}/api/v1/model/deployment?size=1`, {
    method: 'PUT',
    headers: { authorization: 'Bearer t' },
    body: '{"id":"x"}',
  });
  expect(reply.status).toBe(201);
  expect(reply.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await reply.json()).toEqual({
    method: 'PUT',
    url: '/api/v1/model/deployment?size=1',
    body: '{"id":"x"}',
    authorization: 'Bearer t',
    host: new URL(edge.url).host,
  });
  await edge.stop();
  await api.stop();
  const alone = await startEdge([], { apiUrl: api.url });
  const down = await fetch(`${alone.url}/health`);
  expect([down.status, down.headers.get('retry-after')]).toEqual([503, '1']);
  await alone.stop();
});

test('a log of the management API passes line by line, and ends there when the reader leaves', async () => {
  let left = false;
  let say: (line: string) => void = () => undefined;
  const api = await listen((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/plain' });
    say = (line) => void res.write(line);
    say('one\n');
    res.on('close', () => (left = true));
  });
  const edge = await startEdge([], { apiUrl: api.url });
  let text = '';
  const reader = get(`${edge.url}/api/v1/model/training/t/log?follow=true`, (reply) => {
    reply.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  });
  await eventually(() => text === 'one\n');
  say('two\n');
  await eventually(() => text === 'one\ntwo\n');
  reader.destroy();
  await eventually(() => left);
  await edge.stop();
  await shut(api.server);
});

test('a client that leaves is no failure of the management API', async () => {
  const warnings: unknown[] = [];
  const log = { ...silent, warn: (...line: unknown[]) => void warnings.push(line) };
  let [begun, left] = [false, false];
  const api = await listen((_req, res) => {
    begun = true;
    res.on('close', () => (left = true));
  });
  const edge = await startEdge([], { apiUrl: api.url, log });
  const request = get(`${edge.url}/api/v1/audit`).on('error', () => undefined);
  await eventually(() => begun);
  request.destroy();
  await eventually(() => left);
  await edge.stop();
  expect(warnings).toEqual([]);
  await shut(api.server);
});

test('nothing that a caller sends makes the gateway answer 5xx', async () => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url])], { apiUrl: model.url });
  const { hostname, port } = new URL(edge.url);
  const send = (head: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.on('close', () => resolve(text)).on('error', () => resolve(text));
      socket.write(Buffer.from(head, 'latin1'));
    });
  const token = fc.stringMatching(/^[A-Za-z-]{1,20}$/);
  const value = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,40}$/);
  const path = fc.oneof(
    fc.stringMatching(/^\/[\x21-\x7e\x80-\xff]{0,40}$/),
    fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,40}$/).map((rest) => `/model/wine/${rest}`),
    fc.constantFrom(
      '/model/wine/api/model/invoke',
      '*',
      'http://x/y',
      '/custom/',
      '/feedback/model/',
      '/service-catalog/x',
    ),
  );
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'PATCH', 'PURGE', 'TRACE');
  await fc.assert(
    fc.asyncProperty(method, path, fc.array(fc.tuple(token, value)), value, async (verb, target, headers, body) => {
      const lines = headers
        .filter(([name]) => !/^(connection|transfer-encoding|content-length|host|upgrade|expect)$/i.test(name))
        .map(([name, text]) => `${name}: ${text}\r\n`);
      const head = `host: x\r\nauthorization: ${edge.authorization}\r\nconnection: close\r\n${lines.join('')}`;
      const reply = await send(`${verb} ${target} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`);
      expect(reply).toMatch(/^HTTP\/1\.1 [234]\d\d /);
    }),
    { numRuns: 300 },
  );
  expect((await edge.invoke('{}')).status).toBe(200);
  await edge.stop();
  await model.stop();
});

test('a filter of reference data may be as long as that takes', async () => {
  const server = createServer({ maxHeaderSize: 96 * 1_024 }, ({ url = '' }, res) => void res.end(String(url.length)));
  const edge = await startEdge([], { apiUrl: (await listen(server)).url });
  const q = '%C3%A9'.repeat(4_096);
  expect(await (await fetch(`${edge.url}/v2/x?q=${q}`)).text()).toBe(String('/v2/x?q='.length + q.length));
  await edge.stop();
  await shut(server);
});

test('what is no proper request is a 400 with a sentence', async () => {
  const edge = await startEdge([]);
  const { hostname, port } = new URL(edge.url);
  const reply = (request: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.on('close', () => resolve(text)).on('error', () => resolve(text));
      socket.write(Buffer.from(request, 'latin1'));
    });
  const end = 'host: x\r\nconnection: close\r\n\r\n';
  // prettier-ignore
  const CASES: readonly [string, string][] = [
    ['hello\r\n\r\n',                                         'the request is not valid HTTP'],
    [`GET /api/v1/connection/\xc3\xbc HTTP/1.1\r\n${end}`,    'the request is not valid HTTP'],
    [`POST /health HTTP/1.1\r\ncontent-length: -1\r\n${end}`, 'the request is not valid HTTP'],
    [`GET /health HTTP/1.1\r\na: ${'a'.repeat(20_000)}\r\n${end}`, 'the address and the headers of the request are larger than 16 KiB'],
    [`GET /v2/x?q=${'a'.repeat(100_000)} HTTP/1.1\r\n${end}`,    'the address and the headers of the request are larger than 96 KiB'],
    ['GET /health HTTP/1.1\r\nconnection: close\r\n\r\n',   'the header Host is missing'],
    [`GET /health HTTP/1.1\r\nhost: y\r\n${end}`,             'the header Host is there more than once: send it once'],
    [`GET http://x/y HTTP/1.1\r\n${end}`,                      'the address of a request must begin with a slash'],
    [`OPTIONS * HTTP/1.1\r\n${end}`,                           'the address of a request must begin with a slash'],
  ];
  for (const [request, message] of CASES) {
    const [head = '', body = ''] = (await reply(request)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 [^]*content-type: application\/json/);
    expect(body).toContain(JSON.stringify(message));
  }
  expect(await reply(`GET /service-catalog HTTP/1.1\r\nexpect: tea\r\n${end}`)).toMatch(/^HTTP\/1\.1 302 /);
  await edge.stop();
});

test('a reply under way is not continued by an error', async () => {
  const api = await listen((_req, res) => void res.writeHead(200, { 'content-length': '100' }).write('begun'));
  const edge = await startEdge([], { apiUrl: api.url });
  const { hostname, port } = new URL(edge.url);
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname);
    let got = '';
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString();
      if (got.endsWith('begun')) socket.write('no chunk\r\n');
    });
    socket.on('close', () => resolve(got)).on('error', () => resolve(got));
    socket.write('PUT /log HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
  });
  expect(text).toMatch(/begun$/);
  await edge.stop();
  await shut(api.server);
});

test('routes are followed, outlive the database and a restart, and a younger deployment is found by one read', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-routes-'));
  const copyPath = join(dir, 'state', 'routes.json');
  const table = new Map([['wine', wine(['http://a'])]]);
  let down = false;
  let reads = 0;
  const endpoints = {
    get: async (id: string) => {
      reads += 1;
      if (down) throw new Error('no database');
      return table.get(id);
    },
    list: async () => {
      if (down) throw new Error('no database');
      return [...table.values()];
    },
  };
  const readers = createRouteReaders({ database: createMemoryDatabase() });
  const routes = await createRoutes({ endpoints, customRoutes: NO_ROUTES, readers, copyPath, log: silent, pollMs: 10 });
  expect((await routes.lookup('wine'))?.replicas[0]?.url).toBe('http://a');
  expect(reads).toBe(0);
  const records = { redact: ['$.name'], retentionDays: 7 };
  table.set('wine', wine(['http://b'], { records }));
  await eventually(async () => (await routes.lookup('wine'))?.replicas[0]?.url === 'http://b');
  expect(await routes.lookup('none')).toBeUndefined();
  expect(reads).toBe(1);
  await eventually(async () => (await readFile(copyPath, 'utf8')).includes('http://b'));
  await routes.close();
  table.set('new', wine([], { id: 'new' }));
  expect((await routes.lookup('new'))?.id).toBe('new');

  down = true;
  const restarted = await createRoutes({
    endpoints,
    customRoutes: NO_ROUTES,
    readers,
    copyPath,
    log: silent,
    pollMs: 10,
  });
  expect(restarted.ready()).toBe(true);
  expect(await restarted.lookup('wine')).toMatchObject({ replicas: [{ url: 'http://b' }], records });
  await expect(restarted.lookup('none')).rejects.toMatchObject({ code: 'unavailable' });
  down = false;
  table.delete('wine');
  await eventually(() => restarted.all().every(({ id }) => id !== 'wine'));
  await restarted.close();
  const empty = await createRoutes({
    endpoints: { get: () => new Promise(() => undefined), list: () => new Promise(() => undefined) },
    customRoutes: NO_ROUTES,
    readers,
    copyPath: join(dir, 'none.json'),
    log: silent,
    patienceMs: 20,
  });
  expect(empty.ready()).toBe(false);
  await expect(empty.lookup('x')).rejects.toMatchObject({ code: 'unavailable' });
  await empty.close();
  await rm(dir, { recursive: true, maxRetries: 10 });
});

test('a gateway says which routes it serves, and takes its word back when it ends', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-routes-'));
  const table = new Map([['wine', wine(['http://a'], { epoch: 4 })]]);
  const endpoints = { get: async (id: string) => table.get(id), list: async () => [...table.values()] };
  const readers = createRouteReaders({ database: createMemoryDatabase() });
  const routes = await createRoutes({
    endpoints,
    customRoutes: NO_ROUTES,
    readers,
    copyPath: join(dir, 'r'),
    log: silent,
    pollMs: 10,
  });
  expect(await readers.allServe('wine', 5)).toBe(false);
  table.set('wine', wine(['http://b'], { epoch: 5 }));
  await eventually(() => readers.allServe('wine', 5));
  expect(routes.all()[0]?.replicas[0]?.url).toBe('http://b');
  await routes.close();
  expect(await readers.allServe('wine', 6)).toBe(true);
  await rm(dir, { recursive: true, maxRetries: 10 });
});

test('health and metrics are on the internal address only', async () => {
  const api = await startModel(() => ({ status: 404 }));
  const model = await startModel();
  const edge = await startEdge([wine([model.url])], { apiUrl: api.url });
  await edge.invoke('{}');
  await edge.invoke('{}', {}, 'none');
  expect((await fetch(`${edge.internalUrl}/livez`)).status).toBe(200);
  expect((await fetch(`${edge.internalUrl}/readyz`)).status).toBe(200);
  const text = await edge.metrics();
  expect(text).toContain('slipway_requests_total{deployment="wine",revision="3",code="200"} 1');
  expect(text).toContain('slipway_requests_total{deployment="",revision="",code="404"} 1');
  expect(text).toMatch(/slipway_request_seconds_count\{[^}]*\} 1/);
  expect(text).toMatch(/slipway_upstream_seconds_count\{[^}]*\} 1/);
  expect(text).toMatch(/slipway_spool_bytes [1-9]/);
  expect((await fetch(`${edge.url}/metrics`)).status).toBe(404);
  await edge.stop();
  await model.stop();
  await api.stop();
});

test('a page that makes a name of its own lead here (DNS rebinding) gets no answer of the platform', async () => {
  const edge = await startEdge([], { isAllowedHost: createHostCheck(['https://slipway.example']) });
  const statusOf = (host: string) =>
    new Promise<number | undefined>((resolve) => {
      get(`${edge.url}/service-catalog/swagger/index.html`, { headers: { host } }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
    });
  expect([await statusOf('evil.example'), await statusOf('slipway.example')]).toEqual([400, 200]);
  await edge.stop();
});
