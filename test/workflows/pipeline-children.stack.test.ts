import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { RunRef } from '../../platform/kinds/ids.js';
import { childOf, giveUp, goOn, PIPELINE } from './fakes.js';
import { openNamespace, type TestNamespace } from './namespace.js';
import { UNDO, withPipelineRun } from './pipeline-runs.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const withRun = (changes: Parameters<typeof withPipelineRun>[1], act: Parameters<typeof withPipelineRun>[2]) =>
  withPipelineRun(namespace, changes, act);
const start = (ref: RunRef) => namespace.runs.changed('pipeline', ref);

test('a child that failed is asked for its words, which end the run', () => {
  const failure = ApplicationFailure.nonRetryable('training wine-1 failed: no module', 'run_failed', {
    ...{ reason: 'ToolchainFailed', message: 'training wine-1 failed: no module' },
  });
  const changes = {
    awaitTraining: giveUp('ToolchainFailed', 'no module'),
    concludePipelineTraining: async () => Promise.reject(failure),
  };
  return withRun(changes, async ({ calls, ref, outcome, status }) => {
    await start(ref);
    const { cause } = (await outcome()) as Error;
    expect(cause).toMatchObject({ type: 'ToolchainFailed', message: 'training wine-1 failed: no module' });
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 ToolchainFailed in concludePipelineTraining');
    expect([await status('training'), await status()]).toEqual(['FAILED', 'FAILED']);
  });
});

test('a child that was canceled by itself is concluded like any other', () =>
  withRun(
    { awaitTraining: goOn, concludePipelineTraining: giveUp('Cancelled', 'training was canceled') },
    async ({ calls, ref, called, outcome, status }) => {
      await start(ref);
      await called('awaitTraining 1');
      await namespace.runs.cancel('training', childOf(ref));
      await outcome();
      expect(calls.at(-1)).toBe('recordPipelineFailed 1 Cancelled in concludePipelineTraining');
      // The run itself was not canceled.
      expect([await status('training'), await status()]).toEqual(['CANCELLED', 'FAILED']);
    },
  ));

test('a child that the sweep was faster to start is waited for', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const changes = { awaitTraining: () => held, awaitPipelineChild: () => held };
  await withRun(changes, async ({ calls, ref, called, outcome }) => {
    await namespace.runs.changed('training', childOf(ref));
    await called('awaitTraining 1');
    await start(ref);
    await called('awaitPipelineChild training');
    release();
    expect(await outcome()).toBeUndefined();
    expect(calls.filter((call) => call === 'claimTraining 1')).toHaveLength(1);
    expect(calls.indexOf('concludePipelineTraining 1')).toBeGreaterThan(calls.indexOf('awaitPipelineChild training'));
  });
});

test('a run that is canceled while it waits for a child of another owner still ends it', () =>
  withRun({ awaitTraining: goOn, awaitPipelineChild: goOn }, async ({ calls, ref, called, outcome, status }) => {
    await namespace.runs.changed('training', childOf(ref));
    await called('awaitTraining 1');
    await start(ref);
    await called('awaitPipelineChild training');
    await namespace.runs.cancel('pipeline', ref);
    await outcome();
    expect(calls).toContain('cancelPipelineChildren 1');
    expect(await status()).toBe('CANCELLED');
    await namespace.runs.cancel('training', childOf(ref));
    await namespace
      .handle('training', ref.id)
      .result()
      .catch(() => undefined);
  }));

test('a child whose workflow was ended from outside is looked after', () =>
  withRun({ awaitTraining: goOn }, async ({ calls, ref, called, outcome }) => {
    await start(ref);
    await called('awaitTraining 1');
    await namespace.handle('training', ref.id).terminate('by hand');
    expect(await outcome()).toBeUndefined();
    expect(calls).toContain('awaitPipelineChild training');
  }));

test('a run that failed is tried again as another generation of the same workflow id', () => {
  const checkPipelineMetrics: typeof PIPELINE.checkPipelineMetrics = async (ref) =>
    ref.generation === 1 ? giveUp('GateFailed')() : PIPELINE.checkPipelineMetrics(ref);
  return withRun({ checkPipelineMetrics }, async ({ calls, ref, outcome }) => {
    await start(ref);
    expect(await outcome()).toBeDefined();
    await start({ ...ref, generation: 2 });
    expect(await outcome()).toBeUndefined();
    expect(calls).toContain('recordPipelineFailed 1 GateFailed in checkPipelineMetrics');
    expect(calls.at(-1)).toBe('recordPipelineSucceeded 2');
  });
});

test('a newer generation takes over after the undo of the old one, with children of its own', () => {
  const awaitPipelineDeployment: typeof PIPELINE.awaitPipelineDeployment = async ({ ref }) =>
    ref.generation === 1 ? goOn() : undefined;
  return withRun({ awaitPipelineDeployment }, async ({ calls, ref, called, outcome }) => {
    await start(ref);
    await called('awaitPipelineDeployment 1');
    await start({ ...ref, generation: 2 });
    await start({ ...ref, generation: 2 });
    expect(await outcome()).toBeUndefined();
    const handover = calls.indexOf('recordPipelineFailed 1 Cancelled in no step');
    expect([...calls.slice(handover - 2, handover)].sort()).toEqual(UNDO);
    expect(calls[handover + 1]).toBe('claimPipelineRun 2');
    expect(calls).toContain('claimTraining 2');
    expect(calls.at(-1)).toBe('recordPipelineSucceeded 2');
  });
});
