import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createRoutes } from '../../gateway/routes.js';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';
import { createRouteReaders } from '../../lifecycle/stores/route-readers.js';
import { NO_ROUTES } from './edge.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';

const endpoint = (generation: number): Endpoint => ({
  ...{ id: 'wine', uid: 'u', generation, roleName: 'r', modelName: 'wine', modelVersion: `${generation}` },
  ...{ timeoutSeconds: 60, feedback: false, replicas: [], info: {} },
});

let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Routes that are polled once a minute, on a clock that the test moves. */
async function openScene({ pollMs = 60_000 } = {}) {
  folder = await mkdtemp(join(tmpdir(), 'slipway-routes-'));
  const store = { generation: 1, isAway: false, reads: 0, answer: Promise.resolve() };
  const clock = { ms: 0 };
  const list = async () => {
    store.reads += 1;
    if (store.isAway) throw new Error('the database is away');
    const found = [endpoint(store.generation)];
    await store.answer;
    return found;
  };
  const routes = await createRoutes({
    endpoints: { list, get: async () => undefined },
    customRoutes: NO_ROUTES,
    readers: createRouteReaders({ database: createMemoryDatabase() }),
    copyPath: join(folder, 'routes.json'),
    log: { info: () => {}, warn: () => {} },
    pollMs,
    now: () => clock.ms,
  });
  onTestFinished(() => routes.close());
  const served = async () => (await routes.lookup('wine'))?.generation;
  return { store, clock, served };
}

test('a gateway that was stopped reads its routes before it serves', async () => {
  const { store, clock, served } = await openScene();
  store.generation = 2;
  expect(await served()).toBe(1);
  clock.ms += 120_000;
  expect(await Promise.all([served(), served()])).toEqual([2, 2]);
  expect(store.reads).toBe(2);
});

test('nor does it serve what a read brings that had begun before', async () => {
  const { store, clock, served } = await openScene({ pollMs: 1 });
  let arrive = () => {};
  store.answer = new Promise((done) => (arrive = done));
  const { reads } = store;
  await vi.waitFor(() => expect(store.reads).toBe(reads + 1));
  store.generation = 2;
  clock.ms += 11_000;
  const answer = served();
  arrive();
  expect(await answer).toBe(2);
});

test('without a database it serves what it knows', async () => {
  const { store, clock, served } = await openScene();
  store.isAway = true;
  clock.ms += 120_000;
  expect(await served()).toBe(1);
});
