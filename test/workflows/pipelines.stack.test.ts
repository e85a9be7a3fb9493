import { afterAll, beforeAll, expect, test } from 'vitest';
import { WorkflowNotFoundError } from '@temporalio/client';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';
import { giveUp, PLAN } from './fakes.js';
import { openNamespace, type TestNamespace } from './namespace.js';
import { HELD_OUT, ownCalls, STEPS, UNDO, withPipelineRun } from './pipeline-runs.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const withRun = (changes: Parameters<typeof withPipelineRun>[1], act: Parameters<typeof withPipelineRun>[2]) =>
  withPipelineRun(namespace, changes, act);
const start = (ref: RunRef) => namespace.runs.changed('pipeline', ref);

test('a run does its steps in order, its children theirs', () =>
  withRun({}, async ({ calls, ref, outcome }) => {
    await start(ref);
    expect(await outcome()).toBeUndefined();
    const training = calls.indexOf('claimTraining 1');
    expect(calls[training - 1]).toBe('preparePipelineTraining 1');
    expect(calls.slice(training).indexOf('recordTrainingSucceeded 1')).toBeGreaterThan(0);
    expect(ownCalls(calls)).toEqual(
      [
        ...['claimPipelineRun', 'resolvePipelineSource', 'preparePipelineTraining', 'concludePipelineTraining'],
        ...['checkPipelineMetrics', 'preparePipelinePackaging', 'concludePipelinePackaging'],
        ...['applyPipelineDeployment', 'awaitPipelineDeployment', 'recordPipelineSucceeded'],
      ].map((call) => `${call} 1`),
    );
    expect(calls.indexOf('recordPackagingSucceeded 1')).toBeLessThan(calls.indexOf('concludePipelinePackaging 1'));
  }));

test('a pipeline may end with the artifact', () =>
  withRun(
    {
      claimPipelineRun: async () => ({
        ...PLAN,
        gates: { metrics: false, heldOut: false },
        packaging: false,
        deployment: false,
      }),
    },
    async ({ calls, ref, outcome }) => {
      await start(ref);
      expect(await outcome()).toBeUndefined();
      expect(ownCalls(calls)).toEqual(
        [
          ...['claimPipelineRun', 'resolvePipelineSource', 'preparePipelineTraining', 'concludePipelineTraining'],
          'recordPipelineSucceeded',
        ].map((call) => `${call} 1`),
      );
    },
  ));

test('children have the ids that the API would give them, and are found by their pipeline', () =>
  withRun({}, async ({ ref, outcome }) => {
    await start(ref);
    await outcome();
    for (const kind of ['training', 'packaging'] as const) {
      const child = await namespace.handle(kind, ref.id).describe();
      expect(child).toMatchObject({
        ...{ type: kind, workflowId: `${kind}/${ref.id}`, taskQueue: 'control' },
        memo: { uid: `${ref.uid}-child`, generation: 1 },
        parentExecution: { workflowId: `run/${ref.id}` },
        rootExecution: { workflowId: `run/${ref.id}` },
      });
      const { typedSearchAttributes: found } = child;
      expect([
        found.get(SEARCH_ATTRIBUTES.resourceKind),
        found.get(SEARCH_ATTRIBUTES.resourceId),
        found.get(SEARCH_ATTRIBUTES.pipelineId),
        found.get(SEARCH_ATTRIBUTES.trigger),
      ]).toEqual([kind, ref.id, 'wine', 'api']);
      expect(await child.staticSummary()).toBe(`${kind} ${ref.id}, generation 1`);
    }
    const { typedSearchAttributes: own } = await namespace.handle('pipeline', ref.id).describe();
    expect([
      own.get(SEARCH_ATTRIBUTES.resourceKind),
      own.get(SEARCH_ATTRIBUTES.resourceId),
      own.get(SEARCH_ATTRIBUTES.pipelineId),
      own.get(SEARCH_ATTRIBUTES.trigger),
      own.get(SEARCH_ATTRIBUTES.modelName),
    ]).toEqual(['pipeline', ref.id, 'wine', 'api', 'wine']);
  }));

test.each(STEPS)('a run whose %s gives up is undone and recorded with reason and step', (step) =>
  withRun({ [step]: giveUp('OutOfMemory', 'no memory') }, async ({ calls, ref, outcome, status }) => {
    await start(ref);
    const { cause } = (await outcome()) as Error;
    expect(cause).toMatchObject({ type: 'OutOfMemory', message: 'no memory' });
    expect([...calls.slice(-3, -1)].sort()).toEqual(UNDO);
    expect(calls.at(-4)).toBe(`${step} 1`);
    expect(calls.at(-1)).toBe(`recordPipelineFailed 1 OutOfMemory in ${step}`);
    expect(await status()).toBe('FAILED');
  }),
);

test('after a conflict with another owner, their child is left alone', () =>
  withRun({ concludePipelineTraining: giveUp('Conflict') }, async ({ calls, ref, outcome }) => {
    await start(ref);
    await outcome();
    expect(calls).not.toContain('cancelPipelineChildren 1');
    expect(calls.slice(-2)).toEqual([
      'restorePipelineDeployment 1',
      'recordPipelineFailed 1 Conflict in concludePipelineTraining',
    ]);
  }));

test('the end is recorded also when the undo fails', () =>
  withRun(
    {
      awaitPipelineDeployment: giveUp('ProbeFailed'),
      cancelPipelineChildren: giveUp('Evicted'),
      restorePipelineDeployment: giveUp('Evicted'),
    },
    async ({ calls, ref, outcome }) => {
      await start(ref);
      await outcome();
      expect(calls.at(-1)).toBe('recordPipelineFailed 1 ProbeFailed in awaitPipelineDeployment');
    },
  ));

test('a person finds in the Web UI what the run does, and why it failed', () =>
  withRun({ concludePipelinePackaging: giveUp('PushFailed', 'the registry said no') }, async ({ ref, outcome }) => {
    await start(ref);
    await outcome();
    const handle = namespace.handle('pipeline', ref.id);
    const details = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(details.currentDetails).toContain('Run 1 of pipeline wine');
    expect(details.currentDetails).toContain('**Failed: PushFailed**, the registry said no');
    expect(details.currentDetails).toMatch(/\| train the model +\| done/);
    expect(details.currentDetails).toMatch(/\| build the image and push it +\| failed/);
  }));

test('held-out samples are asked after the image is there; what they say ends the run', () =>
  withRun(
    { claimPipelineRun: async () => HELD_OUT, checkPipelineHeldOut: giveUp('GateFailed', 'accuracy is 0.1') },
    async ({ calls, ref, outcome }) => {
      await start(ref);
      expect(((await outcome()) as Error).cause).toMatchObject({ type: 'GateFailed', message: 'accuracy is 0.1' });
      expect(calls[calls.indexOf('checkPipelineHeldOut 1') - 1]).toBe('concludePipelinePackaging 1');
      expect(calls.at(-1)).toBe('recordPipelineFailed 1 GateFailed in checkPipelineHeldOut');
      expect(calls).not.toContain('applyPipelineDeployment 1');
    },
  ));

test('what is reused has no child', () =>
  withRun(
    {
      preparePipelineTraining: async () => ({ reusedFrom: 'training/wine-7' }),
      preparePipelinePackaging: async () => ({ reusedFrom: 'packaging/wine-7' }),
    },
    async ({ calls, ref, outcome, status }) => {
      await start(ref);
      expect(await outcome()).toBeUndefined();
      expect(calls).toEqual(ownCalls(calls));
      await expect(status('training')).rejects.toThrow(WorkflowNotFoundError);
      await expect(status('packaging')).rejects.toThrow(WorkflowNotFoundError);
    },
  ));

test('a start of what another run owns runs nothing', () => {
  const claimPipelineRun = async () => Promise.reject(new SlipwayError('stale_generation', 'not the current one'));
  return withRun({ claimPipelineRun }, async ({ calls, ref, outcome, status }) => {
    await start(ref);
    await outcome();
    // Each of these finds for itself that the run is not the one it was started for.
    expect([...calls].sort()).toEqual([
      'cancelPipelineChildren 1',
      'claimPipelineRun 1',
      'recordPipelineFailed 1 Internal in claimPipelineRun',
      'restorePipelineDeployment 1',
    ]);
    expect(await status()).toBe('FAILED');
  });
});
