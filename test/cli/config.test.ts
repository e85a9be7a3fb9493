import { afterAll, beforeAll, expect, test } from 'vitest';
import { Settings } from '../../config.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let slipway: SlipwayRunner;
beforeAll(async () => void (slipway = await createSlipwayRunner({})));
afterAll(() => slipway.remove());

const config = (env: Record<string, string> = {}, ...args: string[]) => slipway.run(['config', ...args], { env });

test('every setting has a row and a value, by default and as the environment says', async () => {
  const { exitCode, out, err } = await config({ SLIPWAY_API_PORT: '9099', SLIPWAY_QUEUES: 'control, waiting' });
  expect([exitCode, err]).toEqual([0, '']);
  const rows = new Map(out.split('\n').map((line) => [line.split(/ +/)[0], line]));
  expect([...rows.keys()].filter(Boolean)).toEqual(Object.keys(Settings.shape));
  expect(rows.get('SLIPWAY_API_PORT')).toMatch(/^SLIPWAY_API_PORT +9099 /);
  expect(rows.get('SLIPWAY_QUEUES')).toContain('["control","waiting"]');
  expect(rows.get('SLIPWAY_PORT_BASE')).toContain('(not set)');
});

test('as JSON each value has its type, and one that is not set is left out', async () => {
  const values = JSON.parse((await config({ SLIPWAY_FEEDBACK: 'false', SLIPWAY_DATA_RATE: '7' }, '--json')).out);
  expect(values).toMatchObject({ SLIPWAY_FEEDBACK: false, SLIPWAY_DATA_RATE: 7, SLIPWAY_IMAGE_MIRRORS: {} });
  expect(values).not.toHaveProperty('SLIPWAY_PORT_BASE');
});

test('a base of ports decides every address of this installation that the environment leaves open', async () => {
  const env = { SLIPWAY_PORT_BASE: '21000', SLIPWAY_API_PORT: '9099', OIDC_ISSUER: '' };
  expect(JSON.parse((await config(env, '--json')).out)).toMatchObject({
    ...{ SLIPWAY_PORT_BASE: 21_000, SLIPWAY_GATEWAY_PORT: 21_000, SLIPWAY_API_PORT: 9099 },
    ...{ SLIPWAY_API_INTERNAL_PORT: 21_008, SLIPWAY_GATEWAY_INTERNAL_PORT: 21_009 },
    ...{ SLIPWAY_BASE_URL: 'http://127.0.0.1:21000', OIDC_ISSUER: 'http://127.0.0.1:21007' },
    ...{ STORAGE_API_ENDPOINT: 'http://127.0.0.1:21005', SLIPWAY_REGISTRY: '127.0.0.1:21006/slipway' },
    ...{ TEMPORAL_ADDRESS: '127.0.0.1:21002', SLIPWAY_TEMPORAL_UI_URL: 'http://127.0.0.1:21003' },
  });
  const elsewhere = JSON.parse((await config({ ...env, TEMPORAL_ADDRESS: 'temporal:7233' }, '--json')).out);
  expect(elsewhere).toMatchObject({
    ...{ TEMPORAL_ADDRESS: 'temporal:7233', SLIPWAY_TEMPORAL_UI_URL: 'http://127.0.0.1:8233' },
  });
});

test.each([['--json'], []])('secrets are printed nowhere (%s)', async (...args: string[]) => {
  const secrets = {
    MONGODB_URI: 'mongodb://root:hidden-1@db',
    SLIPWAY_SECRET_KEY: 'hidden-2',
    SLIPWAY_OLD_SECRET_KEYS: 'hidden-3,hidden-4',
    TEMPORAL_API_KEY: 'hidden-5',
  };
  const { out } = await config(secrets, ...args);
  expect(out).not.toContain('hidden');
  expect(out.split('*****')).toHaveLength(5);
});

test('a secret that is not set is shown as such', async () => {
  const values = JSON.parse((await config({}, '--json')).out);
  expect(values.SLIPWAY_OLD_SECRET_KEYS).toEqual([]);
  expect(values).not.toHaveProperty('SLIPWAY_SECRET_KEY');
});

test.each([
  [{ SLIPWAY_API_PORT: 'many' }, 'SLIPWAY_API_PORT'],
  [{ SLIPWAY_API_PROT: '8081' }, 'SLIPWAY_API_PROT'],
  [{ SLIPWAY_DISABLED_GROUPS: 'nothing' }, 'SLIPWAY_DISABLED_GROUPS'],
  [{ SLIPWAY_WEBHOOK_NETWORKS: '10.0.0.0/40' }, 'SLIPWAY_WEBHOOK_NETWORKS'],
  [{ OIDC_ISSUER: 'not a url' }, 'OIDC_ISSUER'],
  [{ NODE_ENV: 'staging' }, 'NODE_ENV'],
])('an environment with %o ends with 2 and names the variable', async (env: Record<string, string>, name) => {
  const { exitCode, out, err } = await config(env);
  expect([exitCode, out]).toEqual([2, '']);
  expect(err).toContain(name);
});

test('all that is wrong is said at once', async () => {
  const { err } = await config({ SLIPWAY_API_PORT: '-1', SLIPWAY_BUCKETT: 'x', SLIPWAY_SWEEP_SECONDS: '0' });
  for (const name of ['SLIPWAY_API_PORT', 'SLIPWAY_BUCKETT', 'SLIPWAY_SWEEP_SECONDS']) expect(err).toContain(name);
});

test('variables of the client are no settings, and no reason to refuse', async () => {
  const env = { SLIPWAY_SERVER: 'http://127.0.0.1:1', SLIPWAY_TOKEN: 'hidden', SLIPWAY_CONFIG: '/nowhere' };
  const { exitCode, out } = await config(env);
  expect(exitCode).toBe(0);
  expect(out).not.toMatch(/hidden|SLIPWAY_TOKEN/);
});
