import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let api: TestApi;
let slipway: SlipwayRunner;
beforeAll(async () => {
  api = await startTestApi();
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['admin']) });
});
afterAll(async () => {
  await slipway.remove();
  await api.stop();
});

test('each step is a line; the exit code is 1 when one fails', async () => {
  const works = await slipway.run(['connection', 'test', 'models-output', '--write']);
  expect([
    works.exitCode,
    works.out
      .trim()
      .split('\n')
      .map((line) => line.split(/\s{2,}/)),
  ]).toEqual([
    0,
    [
      ['reach', 'ok'],
      ['log in', 'ok'],
      ['read', 'ok'],
      ['write', 'ok'],
    ],
  ]);
  const fails = await slipway.run(['connection', 'test', 'docker-ci']);
  expect([fails.exitCode, fails.out]).toEqual([
    1,
    expect.stringMatching(/^reach +failed +registry.example has a private address/),
  ]);
});
