import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createHttpApp } from '../../../api/http/app.js';
import { renderProblem } from '../../../api/http/problem.js';
import { createRateLimit, limitRate } from '../../../api/http/rate-limit.js';
import type { HttpState } from '../../../api/http/state.js';
import { type ShortCut, withShortCut } from '../../../api/reference/short-cuts.js';
import type { Client } from '../../../api/reference/state.js';
import { PATIENT } from '../../patient-server.js';

test('each client has a window of its own, which ends by itself', () => {
  let now = 10_000;
  const limit = createRateLimit({ perSecond: 1, now: () => now });
  const count = (actor: string) => {
    const { exceeded, seconds, headers } = limit.count(actor);
    return { exceeded, seconds, header: headers.at(-1) };
  };
  expect(count('a')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
  now += 1_500;
  expect(count('a')).toEqual({ exceeded: false, seconds: 1, header: '"client";r=0;t=1' });
  expect(count('a')).toEqual({ exceeded: true, seconds: 1, header: '"client";r=0;t=1' });
  expect(count('b')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
  now += 500;
  expect(count('a')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
  expect(count('b')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=0;t=2' });
  now += 1_500;
  expect(count('b')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
});

const ACTOR = 'x-actor';
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  }
});

/** A server with the two ways of the API, which share one limit: `/short` goes past Koa. Its clock moves by hand. */
async function open({ perSecond }: { perSecond: number }) {
  let time = 5_000;
  const limit = createRateLimit({ perSecond, now: () => time });
  const clientOf = (headers: IncomingHttpHeaders): Client => ({ actor: String(headers[ACTOR]), scopes: [] });
  const app = createHttpApp<HttpState & { client: Client }>({
    ...{ logger: pino({ level: 'silent' }), render: renderProblem, subjectOf: ({ client }) => client.actor },
  });
  app.use(async (ctx, next) => {
    ctx.state.client = clientOf(ctx.headers);
    await next();
  });
  app.use(limitRate(limit)).use((ctx) => {
    ctx.body = { way: 'koa' };
  });
  const handle = app.callback();
  const short: ShortCut<true> = {
    match: ({ url }) => (url === '/short' ? true : undefined),
    answer(_, { count }) {
      const headers = count();
      return headers && { status: 200, headers: [...headers], body: { text: '{"way":"short"}', encoding: 'utf8' } };
    },
  };
  const server = createServer(
    PATIENT,
    withShortCut(short, { identify: clientOf, limit, otherwise: (req, res) => void handle(req, res) }),
  );
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = async (actor: string, path = '/koa') => {
    const response = await fetch(`${url}${path}`, { headers: { [ACTOR]: actor } });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  /** Sends so many requests at once and counts their statuses. */
  const statuses = async (actor: string, count: number, pathOf: (index: number) => string = () => '/koa') => {
    const replies = await Promise.all(Array.from({ length: count }, (_, index) => get(actor, pathOf(index))));
    const answered = replies.filter(({ status }) => status === 200).length;
    return { answered, refused: replies.filter(({ status }) => status === 429).length };
  };
  return { get, statuses, move: (ms: number) => void (time += ms) };
}

test('with a stopped clock exactly the quota is answered, and after the window the quota is there again', async () => {
  const { statuses, move } = await open({ perSecond: 10 });
  expect(await statuses('a', 33)).toEqual({ answered: 20, refused: 13 });
  expect(await statuses('a', 5)).toEqual({ answered: 0, refused: 5 });
  move(1_999);
  expect(await statuses('a', 2)).toEqual({ answered: 0, refused: 2 });
  move(1);
  expect(await statuses('a', 21)).toEqual({ answered: 20, refused: 1 });
  move(60_000); // unused windows add nothing to the next
  expect(await statuses('a', 22)).toEqual({ answered: 20, refused: 2 });
});

test('a refused request says when to come back, and the answered ones how many are left', async () => {
  const { get, move } = await open({ perSecond: 1 });
  const heads = async () => {
    const { status, headers } = await get('a');
    return [status, headers.get('retry-after'), headers.get('ratelimit')];
  };
  expect(await heads()).toEqual([200, null, '"client";r=1;t=2']);
  expect(await heads()).toEqual([200, null, '"client";r=0;t=2']);
  expect(await heads()).toEqual([429, '2', '"client";r=0;t=2']);
  move(1_000);
  expect(await heads()).toEqual([429, '1', '"client";r=0;t=1']);
  move(999);
  const { body, headers } = await get('a');
  expect(headers.get('retry-after')).toBe('1');
  expect(headers.get('ratelimit-policy')).toBe('"client";q=2;w=2');
  expect(body).toMatchObject({ status: 429, code: 'rate.exceeded' });
  move(1);
  expect(await heads()).toEqual([200, null, '"client";r=1;t=2']);
});

test('two callers do not share a quota', async () => {
  const { statuses } = await open({ perSecond: 3 });
  const replies = await Promise.all([statuses('a', 10), statuses('b', 4), statuses('c', 7)]);
  expect(replies).toEqual([
    { answered: 6, refused: 4 },
    { answered: 4, refused: 0 },
    { answered: 6, refused: 1 },
  ]);
});

test('the short cuts and the other requests of a caller share one quota', async () => {
  const { statuses, get } = await open({ perSecond: 5 });
  expect((await get('a', '/short')).body).toEqual({ way: 'short' });
  const mixed = await statuses('a', 16, (index) => (index % 2 === 0 ? '/short' : '/koa'));
  expect(mixed).toEqual({ answered: 9, refused: 7 });
  const { status, headers } = await get('a', '/short');
  expect([status, headers.get('retry-after')]).toEqual([429, '2']);
});
