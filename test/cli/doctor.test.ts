import { afterAll, beforeAll, expect, test } from 'vitest';
import { BACKING_SERVICES } from '../../platform/kinds/outage.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

/** No service listens there. */
const AWAY = '127.0.0.1:9';
const ENVIRONMENT = {
  NODE_ENV: 'production',
  PATH: process.env.PATH ?? '',
  MONGODB_URI: `mongodb://user:hidden@${AWAY}/`,
  TEMPORAL_ADDRESS: AWAY,
  STORAGE_API_ENDPOINT: `http://${AWAY}`,
  SLIPWAY_REGISTRY: `${AWAY}/slipway`,
  OIDC_ISSUER: `http://${AWAY}`,
  DOCKER_HOST: 'unix:///nowhere.sock',
};

let slipway: SlipwayRunner;
beforeAll(async () => void (slipway = await createSlipwayRunner(ENVIRONMENT)));
afterAll(() => slipway.remove());

test('doctor names each service that is away and each unsafe setting with its next step, and ends with 1', async () => {
  const { exitCode, out } = await slipway.run(['doctor', '--json']);
  expect(exitCode).toBe(1);
  const lines = JSON.parse(out) as { name: string; state: string; remedy?: string }[];
  const wrong = lines.filter(({ state }) => state === 'wrong');
  const names = wrong.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([...BACKING_SERVICES, 'MONGODB_URI', 'OIDC_ISSUER', 'SLIPWAY_BASE_URL']),
  );
  expect(wrong.filter(({ remedy }) => !remedy)).toEqual([]);
  expect(out).not.toContain('hidden');
});

test('an invalid setting is named', async () => {
  const { exitCode, err } = await slipway.run(['doctor'], { env: { SLIPWAY_API_PORT: 'many' } });
  expect(exitCode).toBe(1);
  expect(err).toContain('SLIPWAY_API_PORT');
});
