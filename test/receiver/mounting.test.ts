import { request as open } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import express from 'express';
import Koa from 'koa';
import { receiver as expressReceiver } from '../../receiver/express.js';
import { receiver as fetchReceiver } from '../../receiver/fetch.js';
import { createHandler, type ReceiverOptions } from '../../receiver/handler.js';
import { receiver as koaReceiver } from '../../receiver/koa.js';
import { memoryEffectFirst } from '../../receiver/memory.js';
import { parseSigningKey } from '../../notifications/delivery/signing-keys.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import { type Listener, serve } from './frameworks.js';
import { createSender, newId, nowSeconds, PATH, SECRET } from './sender.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function optionsOf(change: Partial<ReceiverOptions<undefined>> = {}) {
  const [errors, effects]: [unknown[], string[]] = [[], []];
  const options: ReceiverOptions<undefined> = {
    ...{ path: PATH, secrets: [SECRET], store: memoryEffectFirst() },
    effect: async (_event, _tx, { id }) => void effects.push(id),
    onError: (err) => void errors.push(err),
    ...change,
  };
  return { options, errors, effects };
}

async function start(listener: Listener) {
  const server = await serve(listener);
  closing.push(server.close);
  return { ...server, ...createSender(server) };
}

const trap = {
  status: 500,
  body: { code: 'body.already_read', message: expect.stringContaining('before any body parser') },
};
const alreadyRead = [expect.objectContaining({ code: 'body.already_read' })];

test('a body parser before the receiver is an error that says what to do: Express', async () => {
  const { options, errors, effects } = optionsOf();
  const { post, refuse } = await start(express().use(express.json({ type: '*/*' }), expressReceiver(options)));
  expect(await post()).toMatchObject(trap);
  expect(await refuse(newId(), 1)).toMatchObject(trap);
  expect([errors, effects]).toEqual([[...alreadyRead, ...alreadyRead], []]);
});

test('a body parser before the receiver is an error that says what to do: Koa', async () => {
  const { options, errors } = optionsOf();
  const app = new Koa();
  app.use(async (ctx, next) => {
    for await (const chunk of ctx.req) void chunk;
    await next();
  });
  const { post } = await start(app.use(koaReceiver(options)).callback());
  expect(await post()).toMatchObject(trap);
  expect(errors).toEqual(alreadyRead);
});

test('a body that was read before the receiver is an error that says what to do: fetch', async () => {
  const { options, errors } = optionsOf();
  const handle = fetchReceiver(options);
  const send = async (path: string, init: RequestInit) => {
    const request = new Request(`http://receiver.example${path}`, init);
    await request.text();
    return handle(request);
  };
  expect(await createSender({ send }).post()).toMatchObject(trap);
  expect(errors).toEqual(alreadyRead);
});

test('bytes that a parser kept are as good as the stream', async () => {
  for (const parsers of [
    [express.raw({ type: '*/*' })],
    [express.json({ type: '*/*', verify: (req, _res, bytes) => Object.assign(req, { rawBody: bytes }) })],
  ]) {
    const { options, effects } = optionsOf({ maxBytes: 500 });
    const { post } = await start(express().use(...parsers, expressReceiver(options)));
    expect(await post()).toMatchObject({ status: 200, receipt: 'new' });
    const body = JSON.stringify({ type: 'x', text: 'y'.repeat(500) });
    expect(await post({ body })).toMatchObject({ status: 413 });
    expect(effects).toHaveLength(1);
  }
});

test('behind a prefix of Express the path is what remains of it', async () => {
  const { options } = optionsOf();
  const { send } = await start(express().use('/api', expressReceiver(options)));
  const within = createSender({ send: (path, init) => send(`/api${path}`, init) });
  expect(await within.post()).toMatchObject({ status: 200 });
});

function post(port: number, headers: Record<string, string>) {
  const signed = signWebhook({ id: newId(), timestamp: nowSeconds(), body: 'x', keys: [parseSigningKey(SECRET)] });
  const all = { ...signed, 'content-type': 'application/json', ...headers };
  return open({ port, host: '127.0.0.1', path: PATH, method: 'POST', headers: all });
}

test('an endless body without a length is answered and cut off', async () => {
  const { options } = optionsOf({ maxBytes: 100_000 });
  for (const listener of [new Koa().use(koaReceiver(options)).callback(), express().use(expressReceiver(options))]) {
    const answers: unknown[] = [];
    // Seen at the server, as the reset of a connection that still sends may overtake the answer.
    const { port } = await start((req, res) => {
      res.once('finish', () => answers.push([res.statusCode, res.getHeader('connection')]));
      return listener(req, res);
    });
    const sending = post(port, {});
    let cutOff = false;
    sending.on('error', () => (cutOff = true)).on('close', () => (cutOff = true));
    for (let sent = 0; !cutOff && sent < 50_000_000; sent += 50_000) {
      sending.write('y'.repeat(50_000));
      await sleep(1);
    }
    expect([cutOff, answers]).toEqual([true, [[413, 'close']]]);
  }
});

test('a sender that goes away in the middle leaves nothing behind', async () => {
  const { options, effects, errors } = optionsOf();
  const handler = createHandler(options);
  const aborted = new Promise<unknown>((done) => {
    const app = new Koa();
    app.on('error', () => undefined);
    const mounted = koaReceiver(options);
    app.use(async (ctx, next) => {
      await mounted(ctx, next);
      done(ctx.status);
    });
    void start(app.callback()).then(({ port }) => {
      const sending = post(port, { 'content-length': '1000' });
      sending.on('error', () => undefined);
      sending.write('{"type":', () => sending.destroy());
    });
  });
  expect(await aborted).toBe(400);
  expect([effects, errors]).toEqual([[], []]);
  expect(await handler({ ...requestTo('/elsewhere'), method: 'GET' })).toBeUndefined();
});

const requestTo = (path: string) => ({
  ...{ path, method: 'POST', headers: {} },
  header: () => undefined,
  readBody: async () => new Uint8Array(),
});

test.each([
  ['no secret', { secrets: [] }],
  ['an empty secret', { secrets: [''] }],
  ['a bare prefix', { secrets: ['whsec_'] }],
  ['a private half', { secrets: ['whsk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='] }],
  ['a path without a slash', { path: 'hooks' }],
  ['a path that ends with one', { path: '/hooks/' }],
  ['the root', { path: '/' }],
])('%s stops the start', (_, change) => {
  for (const mount of [koaReceiver, expressReceiver, fetchReceiver]) {
    expect(() => mount(optionsOf(change).options)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/options\.invalid|key\.malformed/) }),
    );
  }
});

test.each(['%', '%ff', 'a/b', ''])('receipts/%s is not the path of a receipt', async (id) => {
  const handle = createHandler(optionsOf().options);
  expect(await handler404(handle, `${PATH}/receipts/${id}`)).toBeUndefined();
});
const handler404 = (handle: ReturnType<typeof createHandler>, path: string) => handle(requestTo(path));

test.each(['nothing', '[]', 'null', '"text"', '{"type":7}', '{"type":""}', '{"type":"x"', '{}'])(
  'signed %s is no notice',
  async (body) => {
    const { options, effects } = optionsOf();
    const { post: send } = createSender({
      send: (path, init) => fetchReceiver(options)(new Request(`http://a${path}`, init)),
    });
    expect(await send({ body })).toMatchObject({ status: 400, body: { code: 'body.malformed' } });
    expect(effects).toEqual([]);
  },
);

test('ids that were kept long enough are removed now and then, without making anybody wait', async () => {
  let now = Date.now();
  const { options, errors } = optionsOf({ now: () => now });
  let purges = 0;
  const store = { ...options.store, purge: () => ((purges += 1), Promise.reject(new Error('busy'))) };
  const handle = fetchReceiver({ ...options, store });
  const sender = createSender({ send: (path, init) => handle(new Request(`http://a${path}`, init)) });
  const at = () => ({ timestamp: Math.floor(now / 1_000) });
  await sender.post(at());
  expect(purges).toBe(0);
  now += 3_600_000;
  expect(await sender.post(at())).toMatchObject({ status: 200 });
  await sender.post(at());
  expect(purges).toBe(1);
  expect(errors).toEqual([expect.objectContaining({ message: 'busy' })]);
});
