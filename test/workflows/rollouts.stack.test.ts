import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Verdict } from '../../activities/deployment/bake.js';
import type { BakeStep } from '../../activities/deployment/rollout.js';
import type { RolloutAction, RolloutStatus } from '../../lifecycle/kinds/rollout.js';
import { rolloutWorkflowId } from '../../platform/kinds/ids.js';
import { createRollouts } from '../../workers/compose/rollouts.js';
import { giveUp, goOn } from './fakes.js';
import { eventually, openNamespace, type TestNamespace } from './namespace.js';
import { Scene } from './scene.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const PLAN = { onNoTraffic: 'promote' as const, steps: [10, 50].map((weight) => ({ weight, seconds: 60 })) };
const passed = async (): Promise<Verdict> => ({ outcome: 'passed' });

/** A deployment whose second generation is rolled out. */
async function rolling(
  changes: Parameters<Scene['activities']>[0],
  work: (scene: Scene, statuses: RolloutStatus[], ask: (action: RolloutAction) => Promise<void>) => Promise<void>,
  plan: NonNullable<Scene['rollout']> = PLAN,
): Promise<Scene> {
  const scene = new Scene(namespace);
  const statuses: RolloutStatus[] = [];
  const recordRollout = async ({ rollout }: { rollout: RolloutStatus }) => void statuses.push(rollout);
  const rollouts = createRollouts(namespace);
  const ask = (action: RolloutAction) => rollouts.request(action, { ...scene.ref, generation: 2 }, 'ann');
  await namespace.withActivities(scene.activities({ recordRollout, ...changes }), async () => {
    await scene.tell();
    await scene.called('superviseRevision 1');
    scene.rollout = plan;
    await scene.change();
    await work(scene, statuses, ask);
    await scene.remove();
  });
  return scene;
}

const stepsOf = ({ calls }: Scene): string[] =>
  calls.filter((call) => /^(bakeRollout|withdrawCandidate|publishRevision|countCandidate) 2|Failed/.test(call));

test('a candidate that passes every step gets all traffic', async () => {
  const scene = await rolling({}, (each, statuses) =>
    each.called('superviseRevision 2').then(() => {
      expect(statuses.map(({ state, weight }) => `${state} ${weight}`)).toEqual([
        'baking 10',
        'baking 50',
        'promoted 100',
      ]);
    }),
  );
  expect(stepsOf(scene)).toEqual(['bakeRollout 2 10', 'bakeRollout 2 50', 'publishRevision 2']);
});

test('a candidate that breaches a rule loses its traffic before anything else; the numbers are recorded', async () => {
  const message = '14 of 20 requests (70 %) failed within 10 s';
  const scene = await rolling(
    { bakeRollout: async () => ({ outcome: 'breached', message }) },
    async (each, statuses) => {
      await each.called('recordDeploymentFailed 2 RolledBack in no step');
      await eventually(() => each.steps.at(-1) === 'superviseRevision 1');
      expect(statuses.at(-1)).toMatchObject({ state: 'rolledBack', weight: 0, requests: 20, failed: 14, stable: 1 });
      expect(statuses.at(-1)?.message).toBe(`${message}; 14 of the 20 requests that the candidate got failed`);
    },
  );
  expect(stepsOf(scene)).toEqual([
    'bakeRollout 2 10',
    'withdrawCandidate 2',
    'countCandidate 2',
    'recordDeploymentFailed 2 RolledBack in no step',
  ]);
  expect(scene.calls.lastIndexOf('retireReplicas keep 1')).toBeGreaterThan(scene.calls.indexOf('countCandidate 2'));
});

test('a paused rollout is watched without end; resumed, it goes on with its step', async () => {
  const given: (number | undefined)[] = [];
  let isResumed = false;
  await rolling(
    {
      bakeRollout: async ({ seconds, weight }: BakeStep) => {
        given.push(seconds);
        return isResumed ? passed() : weight === 10 ? goOn() : passed();
      },
    },
    async (scene, statuses, ask) => {
      await eventually(() => given.length === 1);
      await ask('pause');
      await eventually(() => given.length === 2);
      await eventually(() => statuses.at(-1)?.state === 'paused');
      isResumed = true;
      await ask('resume');
      await scene.called('superviseRevision 2');
    },
  );
  expect(given[1]).toBeUndefined();
  expect(given[2]).toBeGreaterThan(50);
  expect(given).toHaveLength(4);
});

test('a person promotes or aborts at once; another generation is not meant', async () => {
  const promoted = await rolling({ bakeRollout: goOn }, async (scene, _statuses, ask) => {
    await scene.called('bakeRollout 2 10');
    await createRollouts(namespace).request('abort', { ...scene.ref, generation: 1 }, 'bob');
    await ask('promote');
    await scene.called('superviseRevision 2');
  });
  expect(stepsOf(promoted)).toEqual(['bakeRollout 2 10', 'publishRevision 2']);
  await rolling({ bakeRollout: goOn }, async (scene, statuses, ask) => {
    await scene.called('bakeRollout 2 10');
    await ask('abort');
    await scene.called('recordDeploymentFailed 2 RolledBack in no step');
    expect(statuses.at(-1)?.message).toMatch(/^aborted by ann; /);
    await expect(ask('abort')).rejects.toMatchObject({ code: 'not_waiting' });
  });
});

test.each([
  ['promote', 'superviseRevision 2'],
  ['abort', 'recordDeploymentFailed 2 RolledBack in no step'],
  ['hold', 'recordRollout 2 paused'],
] as const)('without traffic a plan may %s', async (onNoTraffic, end) => {
  const quiet: Verdict = { outcome: 'quiet', message: 'the candidate got 3 requests' };
  const bakeRollout = async ({ seconds }: BakeStep) => (seconds === undefined ? goOn() : quiet);
  const noted = { recordRollout: async () => {}, bakeRollout };
  await rolling(noted, (scene) => scene.called(end).then(() => undefined), { ...PLAN, onNoTraffic });
});

test('a newer generation, a failing promotion and an unexpected error all end with the stable revision', async () => {
  const overtaken = await rolling({ bakeRollout: goOn }, async (scene) => {
    await scene.called('bakeRollout 2 10');
    delete scene.rollout;
    await scene.change();
    await scene.called('superviseRevision 3');
    const { status } = await namespace.client.workflow.getHandle(rolloutWorkflowId(scene.ref.id)).describe();
    expect(status.name).toBe('CANCELLED');
  });
  expect(stepsOf(overtaken)).toEqual(['bakeRollout 2 10', 'withdrawCandidate 2']);

  const broken = giveUp('CrashLoop', 'it ended');
  const publishRevision = async ({ ref }: { ref: { generation: number } }) =>
    ref.generation === 2 ? broken() : undefined;
  await rolling({ publishRevision }, async (scene, statuses) => {
    await scene.called('recordDeploymentFailed 2 RolledBack in no step');
    expect(scene.calls).toContain('withdrawCandidate 2');
    expect(statuses.at(-1)?.message).toMatch(/^it ended; /);
  });
});
