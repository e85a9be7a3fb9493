import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Degradation, Outage } from '../../platform/kinds/outage.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let down: Outage[] = [];
let degraded: Degradation[] = [];
let api: TestApi;
let slipway: SlipwayRunner;
beforeAll(async () => {
  api = await startTestApi({ findOutages: async () => down, findDegradations: async () => degraded });
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['viewer']) });
});
afterAll(async () => {
  await slipway.remove();
  await api.stop();
});
const wordsOf = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/));

test('health lists every service with its state, and fails when one is down', async () => {
  down = [{ name: 'object storage', reason: 'refuses connections' }];
  const { exitCode, out } = await slipway.run(['health']);
  const rows = wordsOf(out);
  expect(exitCode).toBe(1);
  expect(rows).toContainEqual([
    ...['object storage', 'down', 'refuses connections'],
    'check SLIPWAY_BUCKET and its credentials',
  ]);
  expect(rows.filter(([, state]) => state === 'up')).toHaveLength(5);
  expect(JSON.parse((await slipway.run(['health', '-o', 'json'])).out)).toEqual({ down });
});

test('health lists every check with its remedy, and fails when one failed', async () => {
  down = [];
  degraded = [{ name: 'list indexes', reason: '2 of 25 are missing', remedy: 'restart the API' }];
  const { exitCode, out } = await slipway.run(['health']);
  expect(exitCode).toBe(1);
  expect(wordsOf(out)).toContainEqual(['list indexes', 'wrong', '2 of 25 are missing', 'restart the API']);
  expect(wordsOf(out).filter(([, state]) => state === 'ok')).toHaveLength(3);
  expect(JSON.parse((await slipway.run(['health', '-o', 'json'])).out)).toEqual({ down, degraded });
  degraded = [];
});

test('health succeeds when every service answers', async () => {
  down = [];
  const { exitCode, out } = await slipway.run(['health']);
  expect([exitCode, wordsOf(out).some(([, state]) => state === 'down')]).toEqual([0, false]);
});

test('a server that cannot be reached has the exit code of such', async () => {
  const { exitCode } = await slipway.run(['health', '--server', 'http://127.0.0.1:9']);
  expect(exitCode).toBe(6);
});
