import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunRef } from '../../platform/kinds/ids.js';
import { goOn, PIPELINE } from './fakes.js';
import { eventually, newRef, openNamespace, type TestNamespace } from './namespace.js';
import { HELD_OUT, STEPS, UNDO, withPipelineRun } from './pipeline-runs.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const withRun = (changes: Parameters<typeof withPipelineRun>[1], act: Parameters<typeof withPipelineRun>[2]) =>
  withPipelineRun(namespace, changes, act);
const start = (ref: RunRef) => namespace.runs.changed('pipeline', ref);

test.each(STEPS)('a run canceled during %s is undone, recorded as Cancelled and closed as canceled', (step) =>
  withRun({ [step]: goOn }, async ({ calls, ref, called, outcome, status }) => {
    await start(ref);
    await called(`${step} 1`);
    await namespace.runs.cancel('pipeline', ref);
    await namespace.runs.cancel('pipeline', ref);
    await outcome();
    expect([...calls.slice(-3, -1)].sort()).toEqual(UNDO);
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 Cancelled in no step');
    expect(await status()).toBe('CANCELLED');
    // After the end a cancellation is no error.
    await namespace.runs.cancel('pipeline', ref);
  }),
);

test('a run canceled before its first step runs none', async () => {
  const ref = newRef();
  await start(ref);
  await namespace.runs.cancel('pipeline', ref);
  await withPipelineRun(
    namespace,
    {},
    async ({ calls, outcome, status }) => {
      await outcome();
      expect(calls[0]).toBe('claimPipelineRun 1');
      expect([...calls.slice(1, 3)].sort()).toEqual(UNDO);
      expect(calls[3]).toBe('recordPipelineFailed 1 Cancelled in no step');
      expect(await status()).toBe('CANCELLED');
    },
    ref,
  );
});

test('a deployment that is being changed is changed to its end before a cancellation undoes it', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let applied = false;
  let appliedBeforeUndo = false;
  const applyPipelineDeployment: typeof PIPELINE.applyPipelineDeployment = async (ref) => {
    await held; // and hears of nothing meanwhile
    applied = true;
    return PIPELINE.applyPipelineDeployment(ref);
  };
  const restorePipelineDeployment = async () => void (appliedBeforeUndo = applied);
  await withRun({ applyPipelineDeployment, restorePipelineDeployment }, async ({ calls, ref, called, outcome }) => {
    await start(ref);
    await called('applyPipelineDeployment 1');
    await namespace.runs.cancel('pipeline', ref);
    await eventually(async () => {
      const history = await namespace.handle('pipeline', ref.id).fetchHistory();
      return history.events?.some((event) => event.activityTaskCancelRequestedEventAttributes) === true;
    });
    release();
    await outcome();
    expect(appliedBeforeUndo).toBe(true);
    expect(calls).not.toContain('awaitPipelineDeployment 1');
  });
});

test('what succeeded is too late to cancel', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await withRun({ recordPipelineSucceeded: () => held }, async ({ calls, ref, called, outcome, status }) => {
    await start(ref);
    await called('recordPipelineSucceeded 1');
    await namespace.runs.cancel('pipeline', ref);
    release();
    expect(await outcome()).toBeUndefined();
    expect(await status()).toBe('COMPLETED');
    expect(calls.at(-1)).toBe('recordPipelineSucceeded 1');
  });
});

test('a run that is canceled while the image answers samples deploys nothing', () =>
  withRun(
    { claimPipelineRun: async () => HELD_OUT, checkPipelineHeldOut: goOn },
    async ({ calls, ref, called, outcome, status }) => {
      await start(ref);
      await called('checkPipelineHeldOut 1');
      await namespace.runs.cancel('pipeline', ref);
      await outcome();
      expect(calls.at(-1)).toBe('recordPipelineFailed 1 Cancelled in no step');
      expect(calls).not.toContain('applyPipelineDeployment 1');
      expect(await status()).toBe('CANCELLED');
    },
  ));

test.each([
  ['training', 'awaitTraining', 'removeTrainingJob 1', 'recordTrainingFailed 1 Cancelled in no step'],
  ['packaging', 'buildImage', 'removePackagingJob 1', 'recordPackagingFailed 1 Cancelled in no step'],
] as const)('a run canceled during its %s ends after it', (kind, step, undo, recorded) =>
  withRun({ [step]: goOn }, async ({ calls, ref, called, outcome, status }) => {
    await start(ref);
    await called(`${step} 1`);
    await namespace.runs.cancel('pipeline', ref);
    await outcome();
    expect(calls.slice(calls.indexOf(`${step} 1`) + 1, -3)).toEqual([undo, recorded]);
    expect([...calls.slice(-3, -1)].sort()).toEqual(UNDO);
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 Cancelled in no step');
    expect([await status(kind), await status()]).toEqual(['CANCELLED', 'CANCELLED']);
  }),
);
