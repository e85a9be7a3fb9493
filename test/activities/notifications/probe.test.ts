import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { Agent } from 'undici';
import { createProbe } from '../../../activities/notifications/probe.js';
import { createWebhookSender } from '../../../activities/notifications/webhook-sender.js';
import { openChaosReceiver } from '../../../bench/chaos/receiver.js';
import { createHmacSecret, parseSigningKey } from '../../../notifications/delivery/signing-keys.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const SECRET = createHmacSecret();

/** Opens a receiver that accepts everything, with these headers in its answer to `OPTIONS`. */
async function openGranting(said: Record<string, string> | undefined) {
  const asked: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'OPTIONS') return void response.end();
    asked.push(request.headers);
    if (said !== undefined) response.writeHead(200, said).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, asked };
}

test('a probe asks for the granted rate, and reports the answer', async () => {
  const { url, asked } = await openGranting({ 'webhook-allowed-origin': '*', 'webhook-allowed-rate': '120' });
  const report = await probe(url, null);
  expect(report).toMatchObject({ answered: true, allowed_per_minute: 120 });
  expect(report.steps).toContainEqual({
    sent: expect.stringMatching(`^OPTIONS ${url} with webhook-id prb_`),
    expected: expect.stringContaining('slipway.test'),
    received: '200 with webhook-allowed-origin: *, webhook-allowed-rate: 120',
    ok: true,
  });
  expect(asked).toMatchObject([
    {
      'webhook-request-origin': 'slipway.test',
      'webhook-request-rate': '3000',
      'webhook-signature': expect.stringMatching(/^v1,/),
    },
  ]);
});

test.each([
  ['does not know of it', {}, true],
  ['sets no limit', { 'webhook-allowed-origin': '*', 'webhook-allowed-rate': '*' }, true],
  ['grants another origin', { 'webhook-allowed-origin': 'other.test', 'webhook-allowed-rate': '1' }, false],
  ['does not answer', undefined, true],
] as const)('a receiver that %s limits nothing', async (_, said, ok) => {
  const report = await probe((await openGranting(said)).url, null, said === undefined ? 2_000 : undefined);
  expect(report.answered).toBe(true);
  expect(report.allowed_per_minute).toBeUndefined();
  expect(report.steps.find(({ sent }) => sent.startsWith('OPTIONS'))?.ok).toBe(ok);
});

function probe(url: string, receipt_url: string | null, stepMs = 60_000) {
  const agent = new Agent();
  closing.push(() => agent.destroy());
  const ask = createProbe({
    sender: createWebhookSender({ dispatcher: agent }),
    userAgent: 'Slipway/test',
    origin: 'slipway.test',
    stepMs,
  });
  return ask({
    id: 'sub_1',
    spec: { url, receipt_url, headers: { 'x-team': 'hr' }, rate: { per_second: 50, concurrency: 8 } },
    keys: [parseSigningKey(SECRET)],
  });
}

/** Opens a receiver with these answers. */
async function openLiar(answer: (request: { method: string; nth: number; id: string }) => [number, string?, string?]) {
  const seen: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const [method, id] = [request.method ?? '', String(request.headers['webhook-id'])];
    seen.push(method);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (method === 'POST') bodies.push(Buffer.concat(chunks).toString());
      const [status, receipt, body = ''] = answer({ method, nth: seen.filter((each) => each === method).length, id });
      response.writeHead(status, receipt === undefined ? {} : { 'webhook-receipt': receipt }).end(body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, receiptUrl: `${url}/receipts`, seen, bodies };
}

test.each([
  ['plain', 'L0', 'none'],
  ['dedupes', 'L1', 'none'],
  ['reads', 'L1', 'read'],
  ['receipts', 'L2', 'tombstone'],
] as const)('a receiver of the published package that %s shows %s, and no effect comes of it', async (...expected) => {
  const [manners, level, receipts] = expected;
  const effects: unknown[] = [];
  const receiver = await openChaosReceiver({ manners, oracle: { note: async (effect) => void effects.push(effect) } });
  closing.push(receiver.close);
  receiver.trust(SECRET);
  const report = await probe(receiver.url, receiver.receiptUrl);
  expect(report).toMatchObject({ answered: true, level, receipts });
  expect(report.steps.every(({ ok }) => ok)).toBe(manners === 'receipts' || manners === 'dedupes');
  expect(effects).toEqual([]);
});

test('a receiver without the secret has not answered, and gets no further request', async () => {
  const receiver = await openChaosReceiver({ manners: 'receipts', oracle: { note: async () => {} } });
  closing.push(receiver.close);
  receiver.trust(createHmacSecret());
  const report = await probe(receiver.url, receiver.receiptUrl);
  expect(report).toMatchObject({ answered: false, level: 'L0', receipts: 'none' });
  expect(report.steps).toEqual([
    {
      sent: expect.stringMatching(`^POST ${receiver.url} with webhook-id prb_`),
      expected: 'a status of 2xx',
      received: '401',
      ok: false,
    },
  ]);
});

test('a receiver that is down or does not answer has not answered', async () => {
  const receiver = await openChaosReceiver({ manners: 'plain', oracle: { note: async () => {} } });
  await receiver.close();
  const down = await probe(receiver.url, null);
  expect(down).toMatchObject({ answered: false, steps: [{ received: expect.stringContaining('ECONNREFUSED') }] });
  const silent = await openChaosReceiver({ manners: 'plain', oracle: { note: async () => {} } });
  closing.push(silent.close);
  const server = createServer(() => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await probe(url, null, 500)).toMatchObject({ answered: false, level: 'L0' });
});

test('one event is sent twice: the same bytes, signed later, with the headers of the subscription', async () => {
  const { url, bodies } = await openLiar(() => [200]);
  expect(await probe(url, null)).toMatchObject({ answered: true, level: 'L0' });
  expect(bodies).toHaveLength(2);
  expect(bodies[0]).toBe(bodies[1]);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ type: 'ops.probe', subscriptionid: 'sub_1' });
});

// Each receiver claims more than it does; only its behaviour counts.
test.each([
  ['calls everything a duplicate', () => [200, 'duplicate'], 'L0', 'none'],
  ['calls everything new', () => [200, 'new'], 'L0', 'none'],
  [
    'drops repeats, and answers 200 to every question',
    ({ nth }) => [200, nth === 1 ? 'new' : 'duplicate'],
    'L1',
    'none',
  ],
  [
    'promises to refuse, and takes it all the same',
    ({ method, nth }) =>
      method === 'GET'
        ? [nth === 1 ? 200 : 404]
        : method === 'PUT'
          ? [200, undefined, '{"state":"refused"}']
          : [200, nth === 2 ? 'duplicate' : 'new'],
    'L1',
    'read',
  ],
  [
    'refuses what it withdrew, and drops no repeats',
    ({ method, nth }) =>
      method === 'GET'
        ? [nth === 1 ? 200 : 404]
        : method === 'PUT'
          ? [200, undefined, '{"state":"refused"}']
          : nth === 3
            ? [409, 'refused']
            : [200, 'new'],
    'L0',
    'tombstone',
  ],
] satisfies [string, Parameters<typeof openLiar>[0], string, string][])(
  'a receiver that %s',
  async (_, answer, level, receipts) => {
    const { url, receiptUrl } = await openLiar(answer);
    expect(await probe(url, receiptUrl)).toMatchObject({ answered: true, level, receipts });
  },
);
