import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createRoutes } from '../../gateway/routes.js';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';

const endpoint = (generation: number): Endpoint => ({
  ...{ id: 'wine', uid: 'u', generation, roleName: 'r', modelName: 'wine', modelVersion: `${generation}` },
  ...{ timeoutSeconds: 60, feedback: false, replicas: [], info: {}, epoch: generation },
});

let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Routes that are polled once a minute, on a clock that the test moves. */
async function openScene({ pollMs = 60_000, copied = [] as Endpoint[], isSlow = false } = {}) {
  folder = await mkdtemp(join(tmpdir(), 'slipway-routes-'));
  if (copied.length > 0) await writeFile(join(folder, 'routes.json'), JSON.stringify(copied));
  let arrive = (): void => {};
  const slow = new Promise<void>((done) => (arrive = done));
  const store = { generation: 1, isAway: false, reads: 0, answer: isSlow ? slow : Promise.resolve() };
  const written = { acknowledged: Promise.resolve() };
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
    readers: { acknowledge: () => written.acknowledged, leave: async () => {} },
    copyPath: join(folder, 'routes.json'),
    log: { info: () => {}, warn: () => {} },
    pollMs,
    patienceMs: 20,
    now: () => clock.ms,
  });
  onTestFinished(() => routes.close());
  const served = async () => (await routes.lookup('wine'))?.generation;
  return { store, clock, served, written, arrive };
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

test('a gateway that starts with a copy of earlier routes waits for the store before it serves', async () => {
  const { served, arrive } = await openScene({ copied: [endpoint(0)], isSlow: true });
  const answer = served();
  setTimeout(arrive, 50);
  expect(await answer).toBe(1);
});

test('a slow read after a pause is waited for, longer than for an unknown deployment', async () => {
  const { store, clock, served } = await openScene();
  let arrive = () => {};
  store.answer = new Promise((done) => (arrive = done));
  store.generation = 2;
  clock.ms += 120_000;
  const answer = served();
  setTimeout(arrive, 100);
  expect(await answer).toBe(2);
});

test('routes are read on while what the gateway says of them takes long', async () => {
  const { store, served, written } = await openScene({ pollMs: 1 });
  written.acknowledged = new Promise(() => {});
  store.generation = 2;
  await vi.waitFor(async () => expect(await served()).toBe(2));
  store.generation = 3;
  await vi.waitFor(async () => expect(await served()).toBe(3));
});
