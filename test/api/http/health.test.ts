import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFindOutages } from '../../../api/http/outages.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import {
  BACKING_SERVICES,
  type BackingService,
  type Degradation,
  type Outage,
} from '../../../platform/kinds/outage.js';
import { startTestApi, type TestApi } from '../test-api.js';

let down: Outage[] = [];
let degraded: Degradation[] = [];
let api: TestApi;
beforeAll(
  async () =>
    void (api = await startTestApi({ findOutages: async () => down, findDegradations: async () => degraded })),
);
afterAll(() => api.stop());

type Probes = Record<BackingService, () => Promise<unknown>>;
const probes = (failing: Partial<Probes> = {}): Probes => ({
  ...(Object.fromEntries(BACKING_SERVICES.map((name) => [name, async () => undefined])) as Probes),
  ...failing,
});
const fails = (error: unknown) => async () => {
  throw error;
};

test('/health names what is down to anyone with a token, and stays good for a login', async () => {
  down = [{ name: 'database', reason: 'refuses connections' }];
  const reply = await api.call('GET', '/health', { as: [] });
  expect([reply.status, reply.body, reply.headers.get('cache-control')]).toEqual([200, { down }, 'no-store']);
  expect((await api.call('GET', '/health', { as: null })).status).toBe(401);
  down = [];
  expect((await api.call('GET', '/health', { as: [] })).body).toEqual({});
});

test('/health names the checks that failed, with the remedy of each', async () => {
  degraded = [{ name: 'clock', reason: 'it is 9 s ahead', remedy: 'synchronize it' }];
  expect((await api.call('GET', '/health', { as: [] })).body).toEqual({ degraded });
  down = [{ name: 'temporal', reason: 'refuses connections' }];
  expect((await api.call('GET', '/health', { as: [] })).body).toEqual({ down, degraded });
  [down, degraded] = [[], []];
  expect((await api.call('GET', '/health', { as: [] })).body).toEqual({});
});

test('services that answer are not listed; the others are, in words that hold no address', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  const wrapped = new SlipwayError('unavailable', 'mongodb://admin:secret@10.1.2.3 failed', { cause: new Error('x') });
  const publicMessage = 'answers with status 502';
  const find = createFindOutages(
    probes({
      issuer: () => fetch(`http://127.0.0.1:${port}/`), // for real, as the library wraps its errors
      database: fails(wrapped),
      registry: fails(new SlipwayError('unavailable', `http://10.1.2.3/v2/ ${publicMessage}`, { publicMessage })),
    }),
  );
  const outages = await find();
  expect(outages).toEqual([
    { name: 'database', reason: expect.any(String) },
    { name: 'registry', reason: publicMessage },
    { name: 'issuer', reason: 'refuses connections' },
  ]);
  expect(JSON.stringify(outages)).not.toMatch(/secret|10\.1\.2\.3|127\.0/);
});

test('a service that hangs is down after the limit, and delays no other', async () => {
  const forever = () => new Promise(() => undefined);
  const all = Object.fromEntries(BACKING_SERVICES.map((name) => [name, forever])) as Probes;
  const began = performance.now();
  const outages = await createFindOutages(all, { limitMs: 60 })();
  expect(outages).toHaveLength(BACKING_SERVICES.length);
  expect(outages[0]?.reason).toContain('0.06 s');
  expect(performance.now() - began).toBeLessThan(60 * BACKING_SERVICES.length);
});

test('many callers cause one round of probes, and a later one another', async () => {
  let asked = 0;
  let at = 0;
  const find = createFindOutages(probes({ engine: async () => void (asked += 1) }), { now: () => at });
  await Promise.all([find(), find(), find()]);
  at = 1_999;
  await find();
  expect(asked).toBe(1);
  at = 2_000;
  await find();
  expect(asked).toBe(2);
});
