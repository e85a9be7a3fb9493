import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunRef } from '../../platform/kinds/ids.js';
import { giveUp, goOn } from './fakes.js';
import { eventually, openNamespace, type TestNamespace } from './namespace.js';
import { isFirst, revisionOf, Scene } from './scene.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const REMOVAL = ['withdrawEndpoint', 'retireReplicas', 'removeDeployment'];

test('a new generation is served before the old one is retired, which is watched over until then', async () => {
  const scene = new Scene(namespace);
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  let watching = 0;
  let watchedAtStart = false;
  const activities = scene.activities({
    startRevision: async (ref) => {
      if (!isFirst(ref)) await gate;
      watchedAtStart = watching === 1;
      return revisionOf(ref);
    },
    superviseRevision: async () => {
      watching += 1;
      try {
        await goOn();
      } finally {
        watching -= 1;
      }
    },
  });
  await namespace.withActivities(activities, async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.change();
    await eventually(() => scene.count('superviseRevision 1') === 2 && watching === 1);
    open();
    await scene.called('superviseRevision 2');
    await scene.remove();
  });
  expect(watchedAtStart).toBe(true);
  const update = scene.steps.slice(scene.steps.indexOf('publishRevision 2'));
  expect(update).toEqual(['publishRevision 2', 'superviseRevision 2', ...REMOVAL]);
  expect(scene.acts.indexOf('retireReplicas keep 2')).toBeGreaterThan(scene.acts.indexOf('publishRevision 2'));
});

test('no change waits for a supervision that does not hear of its end', async () => {
  const scene = new Scene(namespace);
  const deaf = new AbortController();
  const superviseRevision = async () => void (await once(deaf.signal, 'abort'));
  const change = async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.change();
    await scene.called('superviseRevision 2');
    await scene.remove();
  };
  await namespace.withActivities(scene.activities({ superviseRevision }), () => change().finally(() => deaf.abort()));
  expect(scene.acts.slice(-3)).toEqual(REMOVAL);
});

test('an update that fails leaves the old generation serving', async () => {
  const scene = new Scene(namespace);
  const startRevision = async (ref: RunRef) => (isFirst(ref) ? revisionOf(ref) : giveUp('ProbeFailed')());
  await namespace.withActivities(scene.activities({ startRevision }), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.change();
    await scene.called('recordDeploymentFailed 2 ProbeFailed in startRevision');
    await eventually(() => scene.count('retireReplicas keep 1') === 2);
    expect(scene.acts).not.toContain('withdrawEndpoint');
    await eventually(() => scene.steps.at(-1) === 'superviseRevision 1');
    await scene.remove();
  });
});

test('a workflow that was lost after a failed update finds what served in the document', async () => {
  const scene = new Scene(namespace);
  scene.serving = revisionOf(scene.ref);
  scene.generation = 2;
  const startRevision = async (ref: RunRef) => (isFirst(ref) ? revisionOf(ref) : giveUp('ProbeFailed')());
  await namespace.withActivities(scene.activities({ startRevision }), async () => {
    await scene.tell();
    await scene.called('recordDeploymentFailed 2 ProbeFailed in startRevision');
    await scene.called('retireReplicas keep 1');
    await eventually(() => scene.steps.at(-1) === 'superviseRevision 1');
    expect(scene.acts).not.toContain('withdrawEndpoint');
    await scene.change();
    await scene.called('recordDeploymentFailed 3 ProbeFailed in startRevision');
    expect(scene.acts).not.toContain('withdrawEndpoint');
    await scene.remove();
  });
});

test('the old generation, serving on after a failed update, can break too', async () => {
  const scene = new Scene(namespace);
  let broken = false;
  const activities = scene.activities({
    startRevision: async (ref) => (isFirst(ref) ? revisionOf(ref) : giveUp('ImagePullFailed')()),
    superviseRevision: async () => (broken ? giveUp('CrashLoop')() : goOn()),
  });
  await namespace.withActivities(activities, async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    broken = true;
    await scene.change();
    await scene.called('recordDeploymentFailed 2 CrashLoop in superviseRevision');
    await scene.called('retireReplicas');
    expect(scene.acts.slice(-3)).toEqual([
      'withdrawEndpoint',
      'recordDeploymentFailed 2 CrashLoop in superviseRevision',
      'retireReplicas',
    ]);
    await scene.remove();
  });
  expect(scene.count('superviseRevision 1')).toBeLessThanOrEqual(3);
});

test('a generation that is overtaken while it starts never serves', async () => {
  const scene = new Scene(namespace);
  const startRevision = async (ref: RunRef) => (isFirst(ref) ? goOn() : revisionOf(ref));
  await namespace.withActivities(scene.activities({ startRevision }), async () => {
    await scene.tell();
    await scene.called('startRevision 1');
    await scene.change();
    await scene.called('superviseRevision 2');
    await scene.remove();
  });
  expect(scene.acts).not.toContain('publishRevision 1');
  expect(scene.acts).toContain('retireReplicas keep 2');
});

test.each([
  ['', true],
  [', also when the worker that published it is gone', false],
])(
  'a generation that got the traffic before it was overtaken keeps it until the next one is ready%s',
  async (_, isHeard) => {
    const scene = new Scene(namespace);
    const gone = new AbortController();
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const activities = scene.activities({
      startRevision: async (ref) => {
        if (ref.generation === 3) await gate;
        return revisionOf(ref);
      },
      publishRevision: async (revision) => {
        scene.serving = revision;
        if (revision.ref.generation === 2) await (isHeard ? goOn() : once(gone.signal, 'abort'));
      },
    });
    const change = async () => {
      await scene.tell();
      await scene.called('superviseRevision 1');
      await scene.change();
      await scene.called('publishRevision 2');
      await scene.change();
      await scene.called('startRevision 3');
      await scene.called('superviseRevision 2');
      open();
      await scene.called('superviseRevision 3');
      await scene.remove();
    };
    await namespace.withActivities(activities, () => change().finally(() => gone.abort()));
    expect(scene.acts.slice(scene.acts.indexOf('publishRevision 2'))).not.toContain('superviseRevision 1');
  },
);

test('a container that cannot be removed keeps the next update from nothing', async () => {
  const scene = new Scene(namespace);
  const stuck = async ({ keep }: { keep?: number }) => void (keep === 1 && (await goOn()));
  await namespace.withActivities(scene.activities({ retireReplicas: stuck }), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    await scene.change();
    await scene.called('superviseRevision 2');
    await scene.remove();
  });
  expect(scene.steps.slice(-5, -3)).toEqual(['publishRevision 2', 'superviseRevision 2']);
});

test('a generation that collapses in its guard gives the traffic back to the former one', async () => {
  const scene = new Scene(namespace);
  const message = '20 of 20 requests (100 %) failed within 10 s';
  let collapse = (): void => {};
  const collapsed = new Promise<void>((resolve) => (collapse = resolve));
  const guardRevision = async () => {
    await collapsed;
    return { outcome: 'breached' as const, message };
  };
  const failures: string[] = [];
  const recordDeploymentFailed = async ({ failure }: { failure: { message: string } }) =>
    void failures.push(failure.message);
  await namespace.withActivities(scene.activities({ guardRevision, recordDeploymentFailed }), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    scene.guardSeconds = 60;
    await scene.change();
    await scene.called('guardRevision 2');
    // A message without news does not end the guard.
    await scene.tell();
    await eventually(() => scene.count('guardRevision 2') === 2);
    expect(scene.calls).toContain('retireReplicas keep 2 former 1');
    collapse();
    await scene.called('retireReplicas keep 1');
    await eventually(() => scene.steps.at(-1) === 'superviseRevision 1');
    expect(failures).toEqual([`${message}; generation 1 serves again`]);
    await scene.remove();
  });
  expect(scene.steps.slice(scene.steps.lastIndexOf('guardRevision 2') + 1)).toEqual([
    'withdrawCandidate 2',
    'recordDeploymentFailed 2 RolledBack in no step',
    'superviseRevision 1',
    ...REMOVAL,
  ]);
});

test('the former generation is retired after the guard, and of several only the last one waits for it', async () => {
  const scene = new Scene(namespace);
  scene.guardSeconds = 60;
  const guardRevision = async ({ former }: { former: { ref: RunRef } }) =>
    isFirst(former.ref) ? goOn() : { outcome: 'passed' as const };
  await namespace.withActivities(scene.activities({ guardRevision }), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    expect(scene.calls).not.toContain('guardRevision 1');
    await scene.change();
    await scene.called('guardRevision 2');
    await scene.change();
    await scene.called('superviseRevision 3');
    await scene.remove();
  });
  expect(scene.acts.filter((call) => /^retireReplicas keep/.test(call))).toEqual([
    'retireReplicas keep 1',
    'retireReplicas keep 2 former 1',
    'retireReplicas keep 2 former 3',
    'retireReplicas keep 3 former 2',
    'retireReplicas keep 3',
  ]);
});
