import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newAttempt } from '../shared/environment.js';
import { attempt, startScene } from './deployment-scene.js';

const until = async (isReached: () => Promise<boolean>) => {
  for (const deadline = performance.now() + 30_000; !(await isReached()); await sleep(2))
    if (performance.now() > deadline) throw new Error('waited in vain');
};

test('the calls that gateways report raise the replicas in the route and in the status; without any it rests, and stays ready', async () => {
  const { activities, containers, deployments, endpoints, routeReaders, id, serve } = await startScene();
  await deployments.update(id, (current) => ({
    ...current,
    spec: { ...current.spec, minReplicas: 0, maxReplicas: 3 },
  }));
  const revision = await serve(1);
  const environment = newAttempt({ currentAttemptScheduledTimestampMs: Date.now() });
  let callers = 20;
  let busy = 0;
  let saidAt = Date.now();
  /** As a gateway does with the routes that it has read. */
  const report = async (): Promise<void> => {
    busy += (callers * (Date.now() - saidAt)) / 1_000;
    saidAt = Date.now();
    const { epoch = 0, version = 0 } = (await endpoints.get(id)) ?? {};
    const load = { versions: { [id]: version }, busySeconds: { [id]: busy }, draining: [] };
    await routeReaders.acknowledge('gateway', { [id]: epoch }, { load });
  };
  const supervised = environment.run(() => activities.superviseRevision(revision)).catch(() => undefined);
  const reporting = async (holds: () => Promise<boolean>) =>
    until(async () => {
      await report();
      return holds();
    });
  try {
    await reporting(async () => (await endpoints.get(id))?.replicas.length === 3);
    await reporting(async () => (await deployments.get(id))?.status.availableReplicas === 3);
    callers = 0;
    await reporting(async () => (await endpoints.get(id))?.rest === 'paused');
    await reporting(async () => containers.size === 1 && [...containers.values()][0]?.state.phase === 'paused');
    expect((await deployments.get(id))?.status).toMatchObject({ state: 'Ready', replicas: 0, availableReplicas: 0 });
  } finally {
    environment.cancel('CANCELLED');
    await supervised;
  }
});

test.each([
  [3, {}, 3],
  [2, { maxReplicas: 2 }, 2],
  [0, { suspended: true }, 0],
])('a generation starts with %i replicas where three serve, for %o', async (_, change, expected) => {
  const { activities, containers, deployments, endpoints, id, uid, serve } = await startScene();
  await deployments.update(id, (current) => ({ ...current, spec: { ...current.spec, maxReplicas: 5 } }));
  await serve(1);
  const served = await endpoints.get(id);
  const [replica] = served?.replicas ?? [];
  if (served === undefined || replica === undefined) throw new Error('nothing serves');
  await endpoints.put({ ...served, replicas: [replica, replica, replica] }, served.epoch ?? 0);
  const next = { generation: 2, spec: { ...(await deployments.get(id))?.spec, ...change } };
  await deployments.update(id, (current) => ({ ...current, ...next }) as typeof current);
  await attempt(async () => activities.publishRevision(await activities.startRevision({ id, uid, generation: 2 })));
  const started = [...containers.values()].filter(({ spec }) => spec.labels.generation === '2');
  expect(started).toHaveLength(expected);
  expect((await endpoints.get(id))?.rest).toBe(expected === 0 ? 'suspended' : undefined);
  expect((await deployments.get(id))?.status.state).toBe('Ready');
});
