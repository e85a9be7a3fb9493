import { afterAll, beforeAll, expect, test } from 'vitest';
import { WorkflowNotFoundError } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { earlierWorkflowId, runMemo } from '../../platform/kinds/ids.js';
import { isRunOpen } from '../../workers/compose/runs.js';
import { BATCH, type Calls, giveUp, goOn, noting, PACKAGING, TRAINING } from './fakes.js';
import { eventually, newRef, openNamespace, type TestNamespace } from './namespace.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

/** The differences between the kinds of runs; everything else holds for all. */
const KINDS = {
  training: {
    fakes: TRAINING as object,
    steps: [
      'prepareWorkspace',
      'ensureTrainingEnvironment',
      'submitTraining',
      'awaitTraining',
      'collectArtifact',
      'checkArtifact',
      'storeArtifact',
    ],
    claim: 'claimTraining',
    undo: 'removeTrainingJob',
    succeeded: 'recordTrainingSucceeded',
    failed: 'recordTrainingFailed',
    result: 'wine-1.zip',
    last: ['recordTrainingSucceeded 1', 'removeTrainingJob 1'],
  },
  packaging: {
    fakes: PACKAGING as object,
    steps: ['buildImage', 'testImage', 'pushImage'],
    claim: 'claimPackaging',
    undo: 'removePackagingJob',
    succeeded: 'recordPackagingSucceeded',
    failed: 'recordPackagingFailed',
    result: 'registry/wine:1',
    last: ['recordPackagingSucceeded 1'],
  },
  batchJob: {
    fakes: { ...BATCH, predictFiles: async () => 3 } as object,
    steps: ['prepareBatchJob', 'predictFiles'],
    claim: 'claimBatchJob',
    undo: 'removeBatchJob',
    succeeded: 'recordBatchSucceeded',
    failed: 'recordBatchFailed',
    result: 3,
    last: ['recordBatchSucceeded 1', 'removeBatchJob 1'],
  },
} as const;
type JobKind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as JobKind[];

/** Runs one test on a worker whose activities differ from the fakes by `changes`. */
async function withRun(
  kind: JobKind,
  changes: object,
  act: (run: {
    calls: Calls;
    ref: ReturnType<typeof newRef>;
    called: (call: string) => Promise<unknown>;
  }) => Promise<void>,
) {
  const calls: Calls = [];
  const called = (call: string) => eventually(() => calls.includes(call));
  await namespace.withActivities(noting(calls, { ...KINDS[kind].fakes, ...changes }), () =>
    act({ calls, ref: newRef(), called }),
  );
}
const statusOf = async (kind: JobKind, id: string) => (await namespace.handle(kind, id).describe()).status.name;

test.each(kinds)('a %s does its steps in order', (kind) =>
  withRun(kind, {}, async ({ calls, ref }) => {
    const { claim, steps, result, last } = KINDS[kind];
    await namespace.runs.changed(kind, ref);
    expect(await namespace.handle(kind, ref.id).result()).toBe(result);
    expect(calls).toEqual([...[claim, ...steps].map((step) => `${step} 1`), ...last]);
  }),
);

test.each(kinds.flatMap((kind) => KINDS[kind].steps.map((step) => [kind, step] as const)))(
  'a %s whose %s gives up is undone and recorded with reason and step',
  (kind, step) =>
    withRun(kind, { [step]: giveUp('OutOfMemory') }, async ({ calls, ref }) => {
      const { undo, failed } = KINDS[kind];
      await namespace.runs.changed(kind, ref);
      await expect(namespace.handle(kind, ref.id).result()).rejects.toThrow();
      expect(calls.slice(-3)).toEqual([`${step} 1`, `${undo} 1`, `${failed} 1 OutOfMemory in ${step}`]);
      expect(await statusOf(kind, ref.id)).toBe('FAILED');
    }),
);

test.each(kinds.flatMap((kind) => KINDS[kind].steps.map((step) => [kind, step] as const)))(
  'a %s canceled during %s is undone, recorded as Cancelled and closed as canceled',
  (kind, step) =>
    withRun(kind, { [step]: goOn }, async ({ calls, ref, called }) => {
      const { undo, failed } = KINDS[kind];
      await namespace.runs.changed(kind, ref);
      await called(`${step} 1`);
      await namespace.runs.cancel(kind, ref);
      await namespace.runs.cancel(kind, ref);
      await expect(namespace.handle(kind, ref.id).result()).rejects.toThrow();
      expect(calls.slice(-3)).toEqual([`${step} 1`, `${undo} 1`, `${failed} 1 Cancelled in no step`]);
      expect(await statusOf(kind, ref.id)).toBe('CANCELLED');
      // After the end a cancellation is no error.
      await namespace.runs.cancel(kind, ref);
    }),
);

test.each(kinds)('a %s canceled before its first step runs none', async (kind) => {
  const ref = newRef();
  await namespace.runs.changed(kind, ref);
  await namespace.runs.cancel(kind, ref);
  await withRun(kind, {}, async ({ calls }) => {
    const { claim, undo, failed } = KINDS[kind];
    await expect(namespace.handle(kind, ref.id).result()).rejects.toThrow();
    expect(calls).toEqual([`${claim} 1`, `${undo} 1`, `${failed} 1 Cancelled in no step`]);
    expect(await statusOf(kind, ref.id)).toBe('CANCELLED');
  });
});

test.each(kinds)('a %s that a person canceled before it was claimed says so', (kind) =>
  withRun(kind, { [KINDS[kind].claim]: giveUp('Cancelled') }, async ({ calls, ref }) => {
    const { claim, undo, failed } = KINDS[kind];
    await namespace.runs.changed(kind, ref);
    await expect(namespace.handle(kind, ref.id).result()).rejects.toThrow();
    expect(calls).toEqual([`${claim} 1`, `${undo} 1`, `${failed} 1 Cancelled in ${claim}`]);
  }),
);

test.each(kinds)('the history of a %s that failed tells what happened, and nothing of this machine', (kind) => {
  const { steps } = KINDS[kind];
  const [first] = steps;
  return withRun(kind, { [first]: giveUp('ToolchainFailed', 'KeyError: alcohol') }, async ({ ref }) => {
    await namespace.runs.changed(kind, ref);
    await expect(namespace.handle(kind, ref.id).result()).rejects.toThrow();
    const text = historyToJSON(await namespace.handle(kind, ref.id).fetchHistory());
    expect(text).toContain('KeyError: alcohol');
    expect(text).not.toContain(process.cwd());
  });
});

test.each(kinds)('the end of a %s is recorded also when its containers cannot be removed', (kind) => {
  const { undo, failed, steps } = KINDS[kind];
  const [first] = steps;
  return withRun(kind, { [first]: giveUp('ToolchainFailed'), [undo]: giveUp('Evicted') }, async ({ calls, ref }) => {
    await namespace.runs.changed(kind, ref);
    await expect(namespace.handle(kind, ref.id).result()).rejects.toThrow();
    expect(calls.at(-1)).toBe(`${failed} 1 ToolchainFailed in ${first}`);
  });
});

test('a training that is stored stays succeeded also when its containers cannot be removed', () =>
  withRun('training', { removeTrainingJob: giveUp('Evicted') }, async ({ calls, ref }) => {
    await namespace.runs.changed('training', ref);
    expect(await namespace.handle('training', ref.id).result()).toBe('wine-1.zip');
    expect(calls.some((call) => call.startsWith('recordTrainingFailed'))).toBe(false);
  }));

test.each(kinds)('a newer generation of a %s takes over after the undo of the old one', (kind) => {
  const { steps, undo, failed, claim, succeeded, result } = KINDS[kind];
  const [first] = steps;
  const own = KINDS[kind].fakes as Record<string, (input: never) => Promise<unknown>>;
  const held = async (input: { generation?: number; ref?: { generation: number } }) =>
    (input.ref?.generation ?? input.generation) === 1 ? goOn() : own[first]?.(input as never);
  return withRun(kind, { [first]: held }, async ({ calls, ref, called }) => {
    await namespace.runs.changed(kind, ref);
    await called(`${first} 1`);
    await namespace.runs.changed(kind, { ...ref, generation: 2 });
    // The same workflow goes on: its chain of runs has one id and one result.
    expect(await namespace.handle(kind, ref.id).result()).toBe(result);
    expect(calls.slice(0, 6)).toEqual([
      `${claim} 1`,
      `${first} 1`,
      `${undo} 1`,
      `${failed} 1 Cancelled in no step`,
      `${claim} 2`,
      `${first} 2`,
    ]);
    expect(calls).toContain(`${succeeded} 2`);
  });
});

test.each(kinds)('a cancellation that comes late leaves a newer generation of a %s alone', (kind) => {
  const { steps, succeeded, failed, result } = KINDS[kind];
  const [first, second] = steps;
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const own = KINDS[kind].fakes as Record<string, () => Promise<unknown>>;
  const held = async (input: { generation?: number; ref?: { generation: number } }) => {
    if ((input.ref?.generation ?? input.generation) === 1) return goOn();
    await gate;
    return own[first]?.();
  };
  return withRun(kind, { [first]: held }, async ({ calls, ref, called }) => {
    await namespace.runs.changed(kind, ref);
    await called(`${first} 1`);
    await namespace.runs.changed(kind, { ...ref, generation: 2 });
    await called(`${first} 2`);
    await namespace.runs.cancel(kind, ref);
    await namespace.runs.cancel(kind, newRef({ id: ref.id, generation: 2 }));
    release();
    expect(await namespace.handle(kind, ref.id).result()).toBe(result);
    expect(calls).toContain(`${second} 2`);
    expect(calls).toContain(`${succeeded} 2`);
    expect(calls).not.toContain(`${failed} 2 Cancelled in no step`);
  });
});

test.each(kinds)('a second generation of a %s can be canceled', (kind) => {
  const { steps, failed } = KINDS[kind];
  const [first] = steps;
  return withRun(kind, { [first]: goOn }, async ({ calls, ref, called }) => {
    await namespace.runs.changed(kind, ref);
    await called(`${first} 1`);
    const newer = { ...ref, generation: 2 };
    await namespace.runs.changed(kind, newer);
    await called(`${first} 2`);
    await namespace.runs.cancel(kind, newer);
    await expect(namespace.handle(kind, ref.id).result()).rejects.toThrow();
    expect(calls.at(-1)).toBe(`${failed} 2 Cancelled in no step`);
    expect(await statusOf(kind, ref.id)).toBe('CANCELLED');
  });
});

test.each(kinds)('repeated and older messages do not disturb a %s', (kind) => {
  const [first] = KINDS[kind].steps;
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const own = KINDS[kind].fakes as Record<string, () => Promise<unknown>>;
  const slow = async () => {
    await gate;
    return own[first]?.();
  };
  return withRun(kind, { [first]: slow }, async ({ calls, called }) => {
    const ref = newRef({ generation: 2 });
    await namespace.runs.changed(kind, ref);
    await called(`${first} 2`);
    await namespace.runs.changed(kind, ref);
    await namespace.runs.changed(kind, { ...ref, generation: 1 });
    release();
    await namespace.handle(kind, ref.id).result();
    expect(calls.filter((call) => call.startsWith(KINDS[kind].claim))).toEqual([`${KINDS[kind].claim} 2`]);
    expect(calls.some((call) => call.startsWith(KINDS[kind].failed))).toBe(false);
  });
});

test.each(kinds)('a %s that was removed and created again is another one, whatever its generation', (kind) => {
  const { steps, claim, undo } = KINDS[kind];
  const [first] = steps;
  const own = KINDS[kind].fakes as Record<string, (input: never) => Promise<unknown>>;
  let uid = '';
  const held = async (input: { uid?: string; ref?: { uid: string } }) =>
    (input.ref?.uid ?? input.uid) === uid ? goOn() : own[first]?.(input as never);
  return withRun(kind, { [first]: held }, async ({ calls, called }) => {
    const ref = newRef({ generation: 3 });
    uid = ref.uid;
    await namespace.runs.changed(kind, ref);
    await called(`${first} 3`);
    await namespace.runs.changed(kind, newRef({ id: ref.id }));
    await namespace.handle(kind, ref.id).result();
    expect(calls.slice(2, 6)).toEqual([
      `${undo} 3`,
      `${KINDS[kind].failed} 3 Cancelled in no step`,
      `${claim} 1`,
      `${first} 1`,
    ]);
  });
});

test('a run that an earlier release started goes on under its id, and the next run has the new one', () =>
  withRun('batchJob', { predictFiles: goOn }, async ({ ref, called }) => {
    const { client, runs } = namespace;
    const options = { workflowId: earlierWorkflowId('batchJob', ref.id), memo: runMemo(ref) };
    const earlier = await client.workflow.start('batchJob', { ...options, taskQueue: 'control', args: [ref] });
    await called('predictFiles 1');
    await runs.changed('batchJob', ref);
    expect(await isRunOpen(client, 'batchJob', ref.id)).toBe(true);
    await expect(namespace.handle('batchJob', ref.id).describe()).rejects.toThrow(WorkflowNotFoundError);
    await runs.cancel('batchJob', ref);
    await expect(earlier.result()).rejects.toThrow();
    expect(await isRunOpen(client, 'batchJob', ref.id)).toBe(false);

    const next = { ...ref, generation: 2 };
    await runs.changed('batchJob', next);
    await called('predictFiles 2');
    await runs.cancel('batchJob', next);
    await expect(namespace.handle('batchJob', ref.id).result()).rejects.toThrow();
  }));

test('the details of a training name the metrics and parameters of its model', () => {
  const [metrics, parameters] = [{ rmse: 0.552, r2: 0.21 }, { alpha: '0.5' }];
  const collectArtifact: typeof TRAINING.collectArtifact = async (ref) => ({
    ...(await TRAINING.collectArtifact(ref)),
    ...{ metrics, parameters },
  });
  return withRun('training', { collectArtifact }, async ({ ref }) => {
    await namespace.runs.changed('training', ref);
    await namespace.handle('training', ref.id).result();
    const { currentDetails } = await namespace
      .handle('training', ref.id)
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('- metrics: rmse 0.552, r2 0.21\n- parameters: alpha 0.5\n');
  });
});
