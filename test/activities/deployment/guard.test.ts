import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGuard } from '../../../activities/deployment/guard.js';
import { noCalls, type RevisionCalls } from '../../../lifecycle/kinds/revision-calls.js';
import { runFailed } from '../../../platform/kinds/reasons.js';
import { newAttempt } from '../shared/environment.js';
import { attempt, startScene } from './deployment-scene.js';

/** A deployment whose second generation took over all calls at once, with the first one beside it. */
async function startTakeover() {
  const scene = await startScene();
  const { activities, deployments, endpoints, id, uid, routeReaders } = scene;
  const former = await scene.serve(1);
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  const revision = await attempt(() => activities.startRevision({ id, uid, generation: 2 }));
  await attempt(() => activities.publishRevision(revision, former));
  const report = async (calls: Partial<Record<1 | 2, Partial<RevisionCalls>>>) => {
    const counted = Object.entries(calls).map(([generation, each]) => [generation, { ...noCalls(), ...each }]);
    const epochs = { [id]: await endpoints.epochOf(id) };
    await routeReaders.acknowledge('edge', epochs, { calls: { [id]: Object.fromEntries(counted) } });
  };
  const guard = (ms: number) =>
    newAttempt({ currentAttemptScheduledTimestampMs: Date.now() }).run(() =>
      activities.guardRevision({ revision, former, untilMs: Date.now() + ms }),
    );
  return { ...scene, former, revision, report, guard };
}

test('a revision that took over keeps all calls, with the former one beside it, until its guard has passed', async () => {
  const { endpoints, guard, id, report } = await startTakeover();
  await report({ 1: { requests: 1_000 }, 2: { requests: 100 } });
  const passed = guard(150);
  const beside = { weight: 0, endpoint: { generation: 1, replicas: [{}] } };
  expect(await endpoints.get(id)).toMatchObject({ generation: 2, replicas: [{}], candidate: beside });
  expect(await passed).toEqual({ outcome: 'passed' });
  expect(await endpoints.get(id)).toMatchObject({ generation: 2, replicas: [{}], candidate: beside });
});

test('a revision whose calls fail gives the route back to the replicas of the former one', async () => {
  const { activities, deployments, endpoints, former, guard, id, report, revision } = await startTakeover();
  const served = (await endpoints.get(id))?.candidate?.endpoint.replicas;
  await report({ 1: { requests: 1_000, failed: 10 } });
  const verdict = guard(60_000);
  await report({ 1: { requests: 1_000, failed: 10 }, 2: { requests: 20, failed: 19 } });
  const message = '19 of 20 requests (95 %) failed within 10 s, the limit is 50 %';
  expect(await verdict).toEqual({ outcome: 'breached', message });
  await attempt(() => activities.withdrawCandidate({ stable: former, candidate: revision }));
  const route = await endpoints.get(id);
  expect(route).toMatchObject({ generation: 1, replicas: served, info: { info: { title: 'wine' } } });
  expect(route?.candidate).toBeUndefined();
  expect((await deployments.get(id))?.serving?.ref.generation).toBe(1);
});

test('a crash loop is a collapse', async () => {
  const { endpoints, routeReaders, former, revision } = await startTakeover();
  const serve = () => Promise.reject(runFailed({ reason: 'CrashLoop', message: 'replica r0 ended 5 times' }));
  const guardRevision = createGuard({ endpoints, routeReaders, serve });
  const verdict = attempt(() => guardRevision({ revision, former, untilMs: Infinity }));
  expect(await verdict).toEqual({ outcome: 'breached', message: 'replica r0 ended 5 times' });
});

test('replicas of the former revision are not retired while the route names them', async () => {
  const { activities, engine, guard, id, report, revision, uid } = await startTakeover();
  const generations = async () => (await engine.find({ id, uid })).map(({ labels }) => labels.generation);
  await attempt(() => activities.retireReplicas({ id, uid, keep: 2, former: 1 }));
  await guard(1);
  await report({});
  const retired = attempt(() => activities.retireReplicas({ id, uid, keep: 2 }));
  await sleep(300);
  expect(await generations()).toEqual(['1', '2']);
  const later = newAttempt({ currentAttemptScheduledTimestampMs: Date.now() });
  await later.run(() => activities.publishRevision(revision));
  await report({});
  await retired;
  expect(await generations()).toEqual(['2']);
});
