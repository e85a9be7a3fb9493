import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { createIssuer } from '../../../platform/auth/issuer.js';
import type { Database, Row } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createNotificationMetrics } from '../../../workers/compose/notification-metrics.js';
import { createNotificationStores, openNotificationDeps } from '../../../workers/compose/notification-deps.js';
import { openReference } from '../../../workers/compose/reference.js';
import { startTestIssuer, type TestIssuer } from '../../api/test-issuer.js';
import { newId } from '../../api/reference/stored-skill.js';
import { until } from '../../stack/scratch.js';

const SCOPES = 'data:read:* data:write:* datasets:admin subscriptions:read subscriptions:write watches:read';
const SKILLS = { title: 'Skills', fields: { name: { type: 'text', required: true, max_length: 100 } } };

const PATH = `/v2/skills/${newId()}`;

let issuer: TestIssuer;
let folder: string;
const closing: (() => unknown)[] = [];
beforeAll(async () => void (issuer = await startTestIssuer()));
afterAll(() => issuer.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-reference-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

/** A server of Temporal that is away, without the seconds that a client of it waits. */
const client = {
  connection: { withDeadline: () => Promise.reject(new Error('14 UNAVAILABLE')) },
} as unknown as Client; // every call goes through it

/** The reference data of an API process, as its entry point composes them; no Temporal answers. */
async function start(database: Database, objects = createMemoryObjects(), environment: Record<string, string> = {}) {
  const settings = parseSettings({
    ...{ SLIPWAY_STATE_DIR: folder, SLIPWAY_SECRET_KEY: randomBytes(32).toString('base64'), OIDC_ISSUER: issuer.url },
    ...{ SLIPWAY_BUILT_IN_DATASETS: 'false', ...environment },
  });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const metrics = new Registry();
  const trusted = createIssuer({ url: issuer.url });
  const notificationStores = createNotificationStores(database);
  const context = { settings, log, client, database, objects, metrics, issuer: trusted, notificationStores };
  const reference = await openReference(context);
  const server = createServer((req, res) => void reference.handle(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bearer = `Bearer ${await issuer.token([], { claims: { scope: SCOPES } })}`;
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
    await reference.close();
    trusted.close();
  };
  closing.push(stop);
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: bearer, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
  return { call, stop, lines, settings, log, checkLoaded: reference.checkLoaded };
}
/** A database that reports each use of one of its tables. */
const observed = (database: Database, note: () => void): Database => ({
  ...database,
  table: <R extends Row>(name: string) =>
    new Proxy(database.table<R>(name), {
      get(table, operation, receiver) {
        note();
        return Reflect.get(table, operation, receiver) as unknown;
      },
    }),
});
/** A database in which each read of the log of the dataset skills waits for `before`. */
const held = (database: Database, before: () => Promise<void>): Database => ({
  ...database,
  table: <R extends Row>(name: string) => {
    const table = database.table<R>(name);
    return {
      ...table,
      get: async (id: string) => {
        if (id.startsWith('skills#')) await before();
        return table.get(id);
      },
    };
  },
});
const declare = (process: Awaited<ReturnType<typeof start>>) =>
  process.call('PUT', '/v2/datasets/skills', { kind: 'Dataset', id: 'skills', spec: SKILLS });

test('rows that one process has written are read by another, and by one that starts later', async () => {
  const database = createMemoryDatabase();
  const [first, second] = [await start(database), await start(database)];
  expect((await declare(first)).status).toBe(201);
  const written = await first.call('PUT', PATH, { name: 'tasting' });
  expect([200, 201]).toContain(written.status);
  await until(async () => (await second.call('GET', PATH)).status === 200);
  await first.stop();
  const third = await start(database);
  await until(async () => (await third.call('GET', PATH)).status === 200);
  expect(JSON.parse((await third.call('GET', PATH)).text)).toMatchObject({ name: 'tasting' });
});

test('a process is not ready until the datasets that it found are loaded', async () => {
  const database = createMemoryDatabase();
  const first = await start(database);
  await declare(first);
  first.checkLoaded(); // the dataset came after the start
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const second = await start(held(database, () => gate));
  expect(() => second.checkLoaded()).toThrow('datasets are being loaded: skills');
  expect((await second.call('GET', PATH)).status).toBe(503);
  release();
  await until(async () => (await second.call('GET', PATH)).status === 404);
  second.checkLoaded();
});

test('a dataset that cannot be loaded does not keep a process from the other requests', async () => {
  const database = createMemoryDatabase();
  await declare(await start(database));
  const second = await start(held(database, () => Promise.reject(new Error('broken'))));
  await until(() => second.lines.length > 0);
  second.checkLoaded();
  expect((await second.call('GET', PATH)).status).toBe(503);
});

test('a process that is stopped leaves no loop that reads the database', async () => {
  const database = createMemoryDatabase();
  let reads = 0;
  const process = await start(observed(database, () => (reads += 1)));
  await declare(process);
  await process.stop();
  const before = reads;
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect(reads).toBe(before);
  expect(process.lines).toEqual([]);
});

test.each([
  ['production', false],
  ['development', true],
])('in %s a page for graph queries is served: %s', async (NODE_ENV, isServed) => {
  const process = await start(createMemoryDatabase(), createMemoryObjects(), { NODE_ENV });
  const { headers } = await process.call('GET', '/v2/graphql', undefined, { accept: 'text/html' });
  expect(headers.get('content-type')?.startsWith('text/html') ?? false).toBe(isServed);
});

test('one client may make as many requests as the settings say', async () => {
  const process = await start(createMemoryDatabase(), createMemoryObjects(), { SLIPWAY_DATA_RATE: '1' });
  const statuses = new Set<number>();
  for (let n = 0; n < 60 && !statuses.has(429); n += 1)
    statuses.add((await process.call('GET', '/v2/datasets')).status);
  expect([...statuses]).toEqual([200, 429]);
});

test.each([
  ['https://127.0.0.1/hook', {}, 422],
  ['http://127.0.0.1:9/hook', {}, 422],
  ['http://127.0.0.1:9/hook', { SLIPWAY_WEBHOOK_PRIVATE: 'true' }, 201],
])(
  'an address of a webhook such as %s is taken with %o: %i',
  async (url, environment: Record<string, string>, status) => {
    const process = await start(createMemoryDatabase(), createMemoryObjects(), environment);
    await declare(process);
    const body = { name: 'mine', url, types: ['dataset.skills.*'] };
    const reply = await process.call('POST', '/v2/subscriptions', body, { 'idempotency-key': 'k-1' });
    expect([reply.status, reply.text]).toEqual([status, expect.anything()]);
  },
);

test('without Temporal a subscription is kept, and only its wake-up is logged', async () => {
  const process = await start(createMemoryDatabase());
  await declare(process);
  const body = { name: 'mine', mode: 'pull', types: ['dataset.skills.*'] };
  const { status, text } = await process.call('POST', '/v2/subscriptions', body);
  expect([status, text]).toEqual([201, expect.anything()]);
  const { text: listed } = await process.call('GET', '/v2/subscriptions');
  expect(listed).toContain('"mine"');
});

test('no key for secrets is an error of the start', async () => {
  const starting = start(createMemoryDatabase(), createMemoryObjects(), { SLIPWAY_SECRET_KEY: '' });
  await expect(starting).rejects.toMatchObject({ code: 'validation_failed' });
});

test.each([
  ['notification', true],
  ['control,waiting,packaging', false],
])('a worker of the queues "%s" wakes subscriptions: %s', async (queues, isWaking) => {
  const database = createMemoryDatabase();
  const { settings, log } = await start(database, createMemoryObjects(), { SLIPWAY_QUEUES: queues });
  const listened: number[] = [];
  const agent = new Agent();
  closing.push(() => agent.close());
  const deps = openNotificationDeps({
    ...{
      settings,
      log,
      client,
      database: observed(database, () => listened.push(1)),
      webhookAgent: agent,
      metrics: createNotificationMetrics(new Registry()),
    },
  });
  closing.push(() => deps.tails.stop());
  if (isWaking) await until(() => listened.length > 0);
  else await new Promise(setImmediate);
  expect(listened.length > 0).toBe(isWaking);
  expect(deps.baseUrl).not.toMatch(/\/$/);
});

test('the drains of a worker share the limits of a host that its settings name', async () => {
  const database = createMemoryDatabase();
  const environment = {
    SLIPWAY_QUEUES: 'control',
    SLIPWAY_WEBHOOK_HOST_CONCURRENCY: '2',
    SLIPWAY_WEBHOOK_HOST_RATE: '3',
  };
  const { settings, log } = await start(database, createMemoryObjects(), environment);
  const agent = new Agent();
  closing.push(() => agent.close());
  const metrics = createNotificationMetrics(new Registry());
  const { hosts, tails } = openNotificationDeps({ settings, log, client, database, webhookAgent: agent, metrics });
  closing.push(() => tails.stop());
  const now = Date.now();
  const [first, second] = [1, 2].map((n) =>
    hosts?.seat({ url: new URL(`https://a.example/${n}`), now, wake: () => {} }),
  );
  const started = [first, second, first].map((seat) => {
    const isGranted = seat?.mayStart(now);
    if (isGranted) seat?.started(now);
    return isGranted;
  });
  expect(started).toEqual([true, true, false]);
  first?.finished(now);
  first?.mayStart(now);
  first?.started(now);
  second?.finished(now);
  expect([second?.mayStart(now), second?.nextAt(now)]).toEqual([false, now + 1_000]);
});

test('a new installation answers the requests of the specification at once, and its datasets are empty', async () => {
  const process = await start(createMemoryDatabase(), createMemoryObjects(), { SLIPWAY_BUILT_IN_DATASETS: 'true' });
  await until(() => {
    try {
      process.checkLoaded();
      return true;
    } catch {
      return false;
    }
  });
  const filter = encodeURIComponent('staffing_status == Open and customer.id != 4060741400035622411');
  const replies = await Promise.all(
    ['/v2/locations/lookup?q=sao', `/v2/positions/search?q=${filter}`, '/v2/skills/9007199254740993'].map((path) =>
      process.call('GET', path),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(replies.slice(0, 2).map(({ text }) => (JSON.parse(text) as { items: unknown[] }).items)).toEqual([[], []]);
  expect(JSON.parse(replies[2]?.text ?? '')).toMatchObject({ code: 'entity.not_found' });
});
