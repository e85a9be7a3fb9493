import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedWorkflowBundle } from '../stack/workflow-bundle.js';
import { type Calls, goOn, noting, PACKAGING, PIPELINE, TRAINING } from './fakes.js';
import { eventually, newRef, openNamespace, type TestNamespace } from './namespace.js';
import { Scene } from './scene.js';

const PREVIOUS = join(import.meta.dirname, '..', 'histories', '0.1.0', 'workflows.js.gz');

let namespace: TestNamespace;
let folder: string;
/** The workflows of a rollout: workers of the previous release alone, and beside those of this one. */
let workers: Record<'alone' | 'beside', string[]>;
beforeAll(async () => {
  namespace = await openNamespace();
  folder = await mkdtemp(join(tmpdir(), 'slipway-previous-'));
  const previous = join(folder, 'workflows.js');
  await writeFile(previous, gunzipSync(await readFile(PREVIOUS)));
  workers = { alone: [previous], beside: [previous, await sharedWorkflowBundle()] };
});
afterAll(async () => {
  await namespace.close();
  await rm(folder, { recursive: true });
});

const FAKES = { ...PIPELINE, ...PACKAGING, ...TRAINING };
const ROLLOUTS = ['alone', 'beside'] as const;

// A workflow with a patch would go on beside as well, but only after the older worker has failed some of its tasks.
test.each([
  ['training', 'alone'],
  ['packaging', 'alone'],
  ['pipeline', 'alone'],
  ['training', 'beside'],
  ['packaging', 'beside'],
] as const)('this API runs a %s on workers of 0.1.0 %s', async (kind, rollout) => {
  const ref = newRef();
  const work = async () => {
    await namespace.runs.changed(kind, { ...ref, createdBy: 'ada' });
    await namespace.handle(kind, ref.id).result();
  };
  await namespace.withActivities(FAKES, work, { bundles: workers[rollout] });
});

test.each(ROLLOUTS)(
  'this API cancels a run, and replaces it by a newer one, on workers of 0.1.0 %s',
  async (rollout) => {
    const calls: Calls = [];
    const called = (call: string) => eventually(() => calls.includes(call));
    const ref = newRef();
    const work = async () => {
      await namespace.runs.changed('training', ref);
      await called('awaitTraining 1');
      await namespace.runs.changed('training', { ...ref, generation: 2 });
      await called('awaitTraining 2');
      await namespace.runs.cancel('training', { ...ref, generation: 2 });
      await expect(namespace.handle('training', ref.id).result()).rejects.toThrow();
    };
    const activities = noting(calls, { ...FAKES, awaitTraining: goOn });
    await namespace.withActivities(activities, work, { bundles: workers[rollout] });
    expect(calls).toContain('recordTrainingFailed 2 Cancelled in no step');
  },
);

test('this API creates, changes and removes a deployment on workers of 0.1.0', async () => {
  const scene = new Scene(namespace);
  const work = async () => {
    await scene.tell();
    await scene.called('publishRevision 1');
    await scene.change();
    await scene.called('publishRevision 2');
    await scene.remove();
  };
  await namespace.withActivities(scene.activities(), work, { bundles: workers.alone });
  expect(scene.calls).toContain('removeDeployment');
});
