import { afterAll, beforeAll, expect, test } from 'vitest';
import { LATENCY_BOUNDS } from '../../lifecycle/kinds/measurement.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const latencies = [...LATENCY_BOUNDS.map((bound) => (bound === 0.1 ? 200 : 0)), 0];
let api: TestApi;
let slipway: SlipwayRunner;
beforeAll(async () => {
  const calls = [{ id: 'wine', requests: 200, failed: 3, inflight: 2, latencies }];
  const replicas = [{ id: 'wine', restarts: 1, cpuCores: 0.12, memoryBytes: 180 * 2 ** 20 }];
  api = await startTestApi({ measurements: { read: async () => ({ calls, replicas }) } });
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['viewer']) });
  for (const id of ['idle', 'wine'])
    await api.call('POST', '/api/v1/model/deployment', {
      body: { id, spec: { image: 'registry.example.org/wine:1', predictor: 'platform-ml-server' } },
    });
  const serving = { state: 'Ready', replicas: 2, availableReplicas: 1 } as const;
  await api.deployments.update('wine', (each) => ({ ...each, status: { ...each.status, ...serving } }));
});
afterAll(async () => {
  await slipway.remove();
  await api.stop();
});
const PATH = '/api/v1/model/deployment';
const wordsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
const WINE = ['wine', 'Ready', '50%', '1/2', '1', '120m', '180Mi', '200', '3 (1.5%)', '2', '75ms', '98ms', '100ms'];

test('the API shows the metrics of one deployment to every role of the platform', async () => {
  const { status, body } = await api.call('GET', `${PATH}/wine/metrics`, { as: ['viewer'] });
  expect([status, body.availability, body.requests, body.failed]).toEqual([200, 0.5, 200, 3]);
  expect((await api.call('GET', `${PATH}/absent/metrics`)).status).toBe(404);
  expect((await api.call('GET', `${PATH}/wine/metrics`, { as: ['role-wine'] })).status).toBe(403);
});

test('the list of metrics has pages like every list', async () => {
  const page = await api.call('GET', `${PATH}-metrics?size=1&page=1`);
  expect([page.headers.get('x-total-count'), page.body.map(({ id }: { id: string }) => id)]).toEqual(['2', ['wine']]);
  expect((await api.call('GET', `${PATH}-metrics?size=x`)).status).toBe(400);
});

test('top shows all deployments, and a dash for what was not measured', async () => {
  const { exitCode, out } = await slipway.run(['top']);
  expect(exitCode).toBe(0);
  expect(wordsOf(out).slice(1)).toEqual([
    ['idle', 'Processing', '0%', '0/0', '-', '-', '-', '0', '0', '0', '-', '-', '-'],
    WINE,
  ]);
});

test('top of named deployments, as a table and as data; a name that is not there is an error', async () => {
  expect(wordsOf((await slipway.run(['top', 'deployment/wine'])).out).slice(1)).toEqual([WINE]);
  const { out } = await slipway.run(['top', 'wine', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject([{ id: 'wine', latencySeconds: { p50: 0.075 } }]);
  expect((await slipway.run(['top', 'absent'])).exitCode).not.toBe(0);
});

test('top -w shows the numbers again and again until Ctrl-C', async () => {
  const stop = new AbortController();
  let texts = 0;
  const onText = (text: string): void => {
    if (text.includes('Ready') && (texts += 1) === 3) stop.abort();
  };
  await slipway.run(['top', 'wine', '-w'], { signal: stop.signal, onText });
  expect(texts).toBe(3);
});
