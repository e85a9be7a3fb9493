import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createKeyRing } from '../../platform/stores/key-ring.js';
import { createPayloadCodec } from '../../workers/compose/payload-codec.js';
import { findTestPortBase } from '../stack/port-base.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const PATH = process.env.PATH ?? '';
const key = randomBytes(32).toString('base64');

let slipway: SlipwayRunner;
beforeAll(async () => void (slipway = await createSlipwayRunner({ PATH })));
afterAll(() => slipway.remove());

test.each([
  [['secrets', 'rekey'], {}, 1, 'SLIPWAY_SECRET_KEY is not set'],
  [['secrets', 'rekey'], { SLIPWAY_SECRET_KEY: key, MONGODB_URI: 'mongodb://127.0.0.1:9' }, 1, 'database'],
  [['secrets', 'codec'], {}, 1, 'SLIPWAY_SECRET_KEY is not set'],
  [['secrets', 'codec', '--port', '70000'], {}, 2, 'use a port from 1 to 65535'],
])('slipway %j with %j ends with %i and says why', async (args, env, code, text) => {
  const { exitCode, err } = await slipway.run(args, { env });
  expect([exitCode, err]).toEqual([code, expect.stringContaining(text)]);
  expect(err).not.toContain(key);
});

/** Starts the command, which Ctrl-C ends. @returns the address that it prints */
async function startCodec() {
  const port = await findTestPortBase();
  const ending = new AbortController();
  const env = { SLIPWAY_SECRET_KEY: key, SLIPWAY_TEMPORAL_UI_URL: 'https://temporal.example/ui' };
  let ended: Promise<unknown> = Promise.resolve();
  const line = await new Promise<string>((onText) => {
    ended = slipway.run(['secrets', 'codec', '--port', String(port)], { env, onText, signal: ending.signal });
  });
  const stop = async () => {
    ending.abort();
    await ended;
  };
  return { stop, port, line, address: line.trim().split(' ').at(-1) ?? '' };
}

const json = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

test('the codec server decrypts for the Web UI, and for no client without its address', async () => {
  const { address, line, port, stop } = await startCodec();
  expect(line).toContain("codec server of Temporal's Web UI at https://temporal.example");
  const post = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const plain = defaultPayloadConverter.toPayload({ word: 'marigold' });
  const [encrypted = {}] = await createPayloadCodec(createKeyRing({ key }), { encrypts: true }).encode([plain]);

  const reply = await post(`${address}/decode`, { payloads: [json(encrypted), json(plain)] });
  expect(await reply.json()).toEqual({ payloads: [json(plain), json(plain)] });
  expect(reply.headers.get('access-control-allow-origin')).toBe('https://temporal.example');
  const asked = await fetch(`${address}/decode`, { method: 'OPTIONS' });
  expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);

  for (const url of [`http://127.0.0.1:${port}/decode`, `http://127.0.0.1:${port}/x/decode`, `${address}/encode`]) {
    const refused = await post(url, { payloads: [json(encrypted)] });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([404, null]);
  }
  for (const bad of [7, { payloads: [{ data: '!' }] }, { payloads: [{ ...json(encrypted), data: 'AAAA' }] }]) {
    expect((await post(`${address}/decode`, bad)).status).toBe(400);
  }
  await stop();
});
