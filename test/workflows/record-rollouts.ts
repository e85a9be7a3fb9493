import type { RolloutActivities } from '../../activities/deployment/rollout.js';
import { rolloutWorkflowId } from '../../platform/kinds/ids.js';
import { createRollouts } from '../../workers/compose/rollouts.js';
import { goOn } from './fakes.js';
import type { keepHistories } from './keep-histories.js';
import type { TestNamespace } from './namespace.js';
import { Scene } from './scene.js';

/** Keeps the histories of rollouts and of their deployment: promoted after a pause, rolled back, overtaken. */
export async function recordRollouts(
  namespace: TestNamespace,
  save: Awaited<ReturnType<typeof keepHistories>>,
): Promise<void> {
  async function record(
    name: string,
    bakeRollout: RolloutActivities['bakeRollout'],
    work: (scene: Scene) => Promise<unknown>,
  ): Promise<void> {
    const scene = new Scene(namespace);
    await namespace.withActivities(scene.activities({ bakeRollout }), async () => {
      await scene.tell();
      await scene.called('superviseRevision 1');
      scene.rollout = { onNoTraffic: 'hold', steps: [10, 50].map((weight) => ({ weight, seconds: 60 })) };
      await scene.change();
      await work(scene);
      await save(`rollout-${name}`, rolloutWorkflowId(scene.ref.id));
      await scene.remove();
    });
    await save(`deployment-rollout-${name}`, `deployment/${scene.ref.id}`);
  }

  await record(
    'promoted',
    async ({ weight, seconds }) => {
      if (weight === 10) return { outcome: 'passed' };
      return seconds === undefined ? goOn() : { outcome: 'quiet', message: 'the candidate got 3 requests' };
    },
    async (scene) => {
      await scene.called('recordRollout 2 paused');
      await createRollouts(namespace).request('promote', { ...scene.ref, generation: 2 }, 'ann');
      await scene.called('superviseRevision 2');
    },
  );
  await record(
    'rolled-back',
    async () => ({ outcome: 'breached', message: 'all of 20 requests failed' }),
    (scene) => scene.called('recordDeploymentFailed 2 RolledBack in no step'),
  );
  await record('canceled', goOn, async (scene) => {
    await scene.called('bakeRollout 2 10');
    delete scene.rollout;
    await scene.change();
    await scene.called('superviseRevision 3');
  });
}

/** Keeps the histories of deployments whose second generation takes over at once: its guard ends, or it collapses within. */
export async function recordGuards(
  namespace: TestNamespace,
  save: Awaited<ReturnType<typeof keepHistories>>,
): Promise<void> {
  const message = '20 of 20 requests (100 %) failed within 10 s';
  for (const [name, outcome, then] of [
    ['passed', 'passed', 'superviseRevision 2'],
    ['collapsed', 'breached', 'recordDeploymentFailed 2 RolledBack in no step'],
  ] as const) {
    const scene = new Scene(namespace);
    const guardRevision = async () => ({ outcome, message });
    await namespace.withActivities(scene.activities({ guardRevision }), async () => {
      await scene.tell();
      await scene.called('superviseRevision 1');
      scene.guardSeconds = 60;
      await scene.change();
      await scene.called(then);
      await scene.remove();
    });
    await save(`deployment-guard-${name}`, `deployment/${scene.ref.id}`);
  }
}
