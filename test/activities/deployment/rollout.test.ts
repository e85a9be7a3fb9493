import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noCalls, type RevisionCalls } from '../../../lifecycle/kinds/revision-calls.js';
import { containerName } from '../../../platform/kinds/ids.js';
import { newAttempt } from '../shared/environment.js';
import { attempt, startScene } from './deployment-scene.js';

/** A deployment whose first generation serves and whose second is ready. */
async function startRollout() {
  const scene = await startScene();
  const { activities, deployments, endpoints, id, uid, routeReaders } = scene;
  const stable = await scene.serve(1);
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  const candidate = await attempt(() => activities.startRevision({ id, uid, generation: 2 }));
  /** Reports calls as the one gateway does. */
  const report = async (calls: Partial<Record<1 | 2, Partial<RevisionCalls>>>, draining: string[] = []) => {
    const counted = Object.entries(calls).map(([generation, each]) => [generation, { ...noCalls(), ...each }]);
    const epochs = { [id]: await endpoints.epochOf(id) };
    const load = { versions: {}, busySeconds: {}, draining };
    await routeReaders.acknowledge('edge', epochs, { calls: { [id]: Object.fromEntries(counted) }, load });
  };
  const bake = (more: { weight?: number; seconds?: number } = {}, from?: unknown) => {
    const environment = newAttempt({ heartbeatDetails: from });
    const verdict = environment.run(() =>
      activities.bakeRollout({ stable, candidate, weight: 10, seconds: 1, ...more }),
    );
    return { environment, verdict };
  };
  const routed = async () => {
    for (let found; ; await sleep(5)) {
      found = await endpoints.get(id);
      if (found?.candidate !== undefined) return found;
    }
  };
  return { ...scene, stable, candidate, report, bake, routed };
}

test('a step sends its share to the candidate beside the stable revision, and passes with enough good calls', async () => {
  const { bake, report, routed } = await startRollout();
  const { verdict } = bake({ seconds: 0.2 });
  const route = await routed();
  expect(route).toMatchObject({ generation: 1, candidate: { weight: 10, endpoint: { generation: 2 } } });
  expect([route.replicas.length, route.candidate?.endpoint.replicas.length]).toEqual([1, 1]);
  await report({ 1: { requests: 450 }, 2: { requests: 50 } });
  expect(await verdict).toEqual({ outcome: 'passed' });
});

test('an attempt goes on where the last one ended', async () => {
  const { bake, report, routed } = await startRollout();
  const { verdict } = bake({ seconds: 1_000 }, 999_999);
  await routed();
  await report({ 2: { requests: 50 } });
  expect(await verdict).toEqual({ outcome: 'passed' });
});

test('bad calls end a step, also one that has no end; then all traffic is the stable revision again', async () => {
  const { activities, bake, candidate, endpoints, id, report, routed, stable } = await startRollout();
  const { verdict } = bake({ seconds: undefined });
  await routed();
  await report({ 1: { requests: 200 }, 2: { requests: 21, failed: 20 } });
  const message = '20 of 21 requests (95.2 %) failed within 10 s, the limit is 50 %';
  expect(await verdict).toEqual({ outcome: 'breached', message });
  await attempt(() => activities.withdrawCandidate({ stable, candidate }));
  const route = await endpoints.get(id);
  expect([route?.generation, route?.replicas.length, route?.candidate]).toEqual([1, 1, undefined]);
  await report({ 2: { requests: 21, failed: 20 } }, [containerName('deployment', candidate.ref, 'r0')]);
  const counted = attempt(() => activities.countCandidate({ stable, candidate }));
  await sleep(300);
  await report({ 2: { requests: 22, failed: 21 } });
  expect(await counted).toEqual({ requests: 22, failed: 21 });
});

test('without enough calls a step lasts once as long again', async () => {
  const { bake, report, routed } = await startRollout();
  const began = performance.now();
  const { verdict } = bake({ seconds: 0.2 });
  await routed();
  await report({ 2: { requests: 49 } });
  expect(await verdict).toEqual({
    outcome: 'quiet',
    message: 'the candidate got 49 requests, 50 are needed to judge it',
  });
  expect(performance.now() - began).toBeGreaterThan(380);
});

test('a candidate that ends a second time is not started again', async () => {
  const { bake, containers, routed } = await startRollout();
  const { verdict } = bake({ seconds: undefined });
  await routed();
  const running = () =>
    [...containers.values()].find(({ spec, state }) => spec.labels.generation === '2' && state?.phase === 'running');
  const first = running();
  for (let ended = 0; ended < 2; await sleep(20)) {
    const own = running();
    // The second one is another container.
    if (own === undefined || (ended === 1 && own === first)) continue;
    Object.assign(own, { state: { phase: 'exited', exitCode: 1 } });
    ended += 1;
  }
  expect(await verdict).toEqual({ outcome: 'breached', message: 'a replica of the candidate ended 2 times' });
  expect(running()).toBeUndefined();
});

test('a replica that was replaced answers its last call before it is stopped', async () => {
  const { activities, engine, id, uid, report, stable, candidate } = await startRollout();
  await attempt(() => activities.publishRevision(candidate));
  await report({}, [containerName('deployment', stable.ref, 'r0')]);
  const retired = attempt(() => activities.retireReplicas({ id, uid, keep: 2 }));
  const generations = async () => (await engine.find({ id, uid })).map(({ labels }) => labels.generation);
  await sleep(300);
  expect(await generations()).toEqual(['1', '2']);
  await report({});
  await retired;
  expect(await generations()).toEqual(['2']);
});
