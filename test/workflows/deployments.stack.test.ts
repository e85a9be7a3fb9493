import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunRef } from '../../platform/kinds/ids.js';
import { giveUp, goOn } from './fakes.js';
import { eventually, newRef, openNamespace, type TestNamespace } from './namespace.js';
import { isFirst, revisionOf, Scene } from './scene.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const REMOVAL = ['withdrawEndpoint', 'retireReplicas', 'removeDeployment'];

test('a deployment serves until it is deleted', async () => {
  const scene = new Scene(namespace);
  await namespace.withActivities(scene.activities(), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.remove();
  });
  expect(scene.steps).toEqual(['startRevision 1', 'publishRevision 1', 'superviseRevision 1', ...REMOVAL]);
  expect(scene.count('retireReplicas keep 1')).toBe(1);
});

test('a deployment that serves the wanted generation is started again: that finds its replicas', async () => {
  const scene = new Scene(namespace);
  scene.serving = revisionOf(scene.ref);
  await namespace.withActivities(scene.activities(), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.remove();
  });
  expect(scene.acts.slice(0, 2)).toEqual(['startRevision 1', 'publishRevision 1']);
});

test('a first generation that fails is withdrawn; the next one may do better', async () => {
  const scene = new Scene(namespace);
  const startRevision = async (ref: RunRef) => (isFirst(ref) ? giveUp('ImagePullFailed')() : revisionOf(ref));
  await namespace.withActivities(scene.activities({ startRevision }), async () => {
    await scene.tell();
    await scene.called('recordDeploymentFailed 1 ImagePullFailed in startRevision');
    await scene.change();
    await scene.called('superviseRevision 2');
    await scene.remove();
  });
  expect(scene.acts.slice(0, 4)).toEqual([
    'startRevision 1',
    'withdrawEndpoint',
    'recordDeploymentFailed 1 ImagePullFailed in startRevision',
    'retireReplicas',
  ]);
  expect(scene.count('startRevision 1')).toBe(1);
});

test('a crash loop withdraws the endpoint and stops the replicas', async () => {
  const scene = new Scene(namespace);
  await namespace.withActivities(scene.activities({ superviseRevision: giveUp('CrashLoop') }), async () => {
    await scene.tell();
    await scene.called('retireReplicas');
    await scene.remove();
  });
  expect(scene.steps.slice(2)).toEqual([
    'superviseRevision 1',
    'withdrawEndpoint',
    'recordDeploymentFailed 1 CrashLoop in superviseRevision',
    'retireReplicas',
    ...REMOVAL,
  ]);
});

test.each(['startRevision', 'publishRevision', 'superviseRevision'] as const)(
  'a deployment that is deleted during %s leaves nothing behind',
  async (step) => {
    const scene = new Scene(namespace);
    await namespace.withActivities(scene.activities({ [step]: goOn }), async () => {
      await scene.tell();
      await scene.called(`${step} 1`);
      await scene.remove();
    });
    expect(scene.acts.slice(-3)).toEqual(REMOVAL);
    expect(scene.acts.some((call) => call.startsWith('recordDeploymentFailed'))).toBe(false);
  },
);

test('a repeated message while it starts does not stop the start', async () => {
  const scene = new Scene(namespace);
  let held = true;
  const startRevision = async (ref: RunRef) => (held ? goOn() : revisionOf(ref));
  await namespace.withActivities(scene.activities({ startRevision }), async () => {
    await scene.tell();
    await scene.called('startRevision 1');
    held = false;
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.remove();
  });
});

test('canceled from outside, the replicas stay, and a new start finds them', async () => {
  const scene = new Scene(namespace);
  await namespace.withActivities(scene.activities(), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await namespace.handle('deployment', scene.ref.id).cancel();
    await expect(namespace.handle('deployment', scene.ref.id).result()).rejects.toThrow();
    expect((await namespace.handle('deployment', scene.ref.id).describe()).status.name).toBe('CANCELLED');
    expect(scene.steps.at(-1)).toBe('superviseRevision 1');
    await scene.tell();
    await eventually(() => scene.count('superviseRevision 1') === 2);
    await scene.remove();
  });
});

test('replicas that cannot be stopped for now do not end the serving', async () => {
  const scene = new Scene(namespace);
  await namespace.withActivities(scene.activities({ retireReplicas: giveUp('Evicted') }), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.remove();
  });
  expect(scene.acts.some((call) => call.startsWith('recordDeploymentFailed'))).toBe(false);
});

test('an id that is created again while the old one goes is served', async () => {
  const scene = new Scene(namespace);
  const next = newRef({ id: scene.ref.id });
  const activities = scene.activities({
    readDeployment: async ({ uid }) => ({ generation: 1, deleted: uid === scene.ref.uid && scene.deleted }),
    removeDeployment: async ({ uid }) => {
      if (uid === scene.ref.uid) await namespace.runs.changed('deployment', next);
    },
  });
  await namespace.withActivities(activities, async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    scene.deleted = true;
    await scene.tell();
    await eventually(() => scene.count('superviseRevision 1') === 2);
    const handle = namespace.handle('deployment', scene.ref.id);
    await handle.cancel();
    // The workers of the next test would go on with it.
    await expect(handle.result()).rejects.toThrow();
  });
});

test('a long life goes on in a new run that knows what serves', async () => {
  const scene = new Scene(namespace);
  await namespace.withActivities(scene.activities(), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    const handle = namespace.handle('deployment', scene.ref.id);
    const { runId } = await handle.describe();
    // The server suggests a new run when the history holds 4 MiB.
    const large = { ...scene.ref, padding: 'x'.repeat(500_000) };
    for (let reads = scene.count('readDeployment'); reads < 14; reads = scene.count('readDeployment')) {
      await handle.signal('changed', large);
      await eventually(() => scene.count('readDeployment') > reads);
    }
    await eventually(async () => (await handle.describe()).runId !== runId);
    await eventually(() => scene.steps.at(-1) === 'superviseRevision 1');
    expect(scene.count('startRevision 1')).toBe(1);
    await scene.remove();
  });
  expect(scene.acts.slice(-3)).toEqual(REMOVAL);
});
