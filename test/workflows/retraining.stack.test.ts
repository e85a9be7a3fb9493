import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScheduledTurn } from '../../activities/pipeline/pipeline.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';
import { type Calls, giveUp, goOn, noting, PACKAGING, PIPELINE, TRAINING } from './fakes.js';
import { eventually, newRef, openNamespace, type TestNamespace } from './namespace.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

/** One turn of the schedule of the pipeline `wine`, on a worker whose activities differ from the fakes. */
async function withTurn(
  changes: Partial<typeof PIPELINE> & Partial<typeof TRAINING>,
  act: (scene: {
    calls: Calls;
    turns: ScheduledTurn[];
    ref: ReturnType<typeof newRef>;
    handle: Awaited<ReturnType<typeof turn>>;
    called: (call: string) => Promise<unknown>;
  }) => Promise<void>,
) {
  const calls: Calls = [];
  const turns: ScheduledTurn[] = [];
  const ref = newRef();
  const openScheduledRun: typeof PIPELINE.openScheduledRun = async (asked) => {
    turns.push(asked);
    return { run: ref, why: '' };
  };
  const activities = { ...TRAINING, ...PACKAGING, ...PIPELINE, openScheduledRun, ...changes };
  await namespace.withActivities(noting(calls, activities), async () => {
    const called = (call: string) => eventually(() => calls.includes(call));
    await act({ calls, turns, ref, handle: await turn(ref.id), called });
  });
}
const turn = (id: string) =>
  namespace.client.workflow.start('retraining', {
    ...{ workflowId: `retrain/${id}`, taskQueue: 'control', args: [{ pipelineId: 'wine', settings: 'x' }] },
  });
const detailsOf = async (handle: Awaited<ReturnType<typeof turn>>) =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails;

test('a turn of the schedule is one run, as its child', () =>
  withTurn({}, async ({ calls, turns, ref, handle }) => {
    expect(await handle.result()).toBe(ref.id);
    // The id of the turn is what makes a repeated attempt find its run.
    expect(turns).toEqual([{ pipelineId: 'wine', key: handle.firstExecutionRunId }]);
    expect(calls.at(-1)).toBe('recordPipelineSucceeded 1');
    const child = await namespace.handle('pipeline', ref.id).describe();
    expect(child).toMatchObject({
      ...{ type: 'pipeline', memo: { uid: ref.uid, generation: 1 } },
      parentExecution: { workflowId: `retrain/${ref.id}` },
    });
    expect([
      child.typedSearchAttributes.get(SEARCH_ATTRIBUTES.pipelineId),
      child.typedSearchAttributes.get(SEARCH_ATTRIBUTES.resourceId),
    ]).toEqual(['wine', ref.id]);
    expect(await detailsOf(handle)).toBe(`Run [run/${ref.id}] of pipeline wine`);
  }));

test.each(['run wine-1 of the pipeline has not finished yet', 'entity "wine" is not found'])(
  'a turn without a run says why: %s',
  (why) =>
    withTurn({ openScheduledRun: async () => ({ why }) }, async ({ calls, handle }) => {
      expect(await handle.result()).toBe(why);
      expect(await detailsOf(handle)).toBe(`No run: ${why}`);
      expect(calls).toEqual(['openScheduledRun']);
    }),
);

test('a run that failed fails its turn', () =>
  withTurn({ checkPipelineMetrics: giveUp('GateFailed') }, async ({ calls, handle }) => {
    await expect(handle.result()).rejects.toThrow();
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 GateFailed in checkPipelineMetrics');
    expect((await handle.describe()).status.name).toBe('FAILED');
  }));

test('a run that the sweep was faster to start is waited for', async () => {
  let open = (_: void): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let run: ReturnType<typeof newRef> | undefined;
  const openScheduledRun = async () => {
    await opened;
    return { run, why: '' };
  };
  const changes = { openScheduledRun, resolvePipelineSource: goOnUntil(held), awaitPipelineChild: () => held };
  await withTurn(changes, async ({ calls, ref, handle, called }) => {
    run = ref;
    await namespace.runs.changed('pipeline', ref);
    await called('resolvePipelineSource 1');
    open();
    await called('awaitPipelineChild pipeline');
    release();
    expect(await handle.result()).toBe(ref.id);
    await namespace.handle('pipeline', ref.id).result();
    expect(calls.filter((call) => call === 'claimPipelineRun 1')).toHaveLength(1);
  });
});
const goOnUntil = (end: Promise<void>) => async () => {
  await end;
  return 'c0ffee';
};

test('a turn that is canceled cancels its run, and ends after it', () =>
  withTurn({ awaitTraining: goOn }, async ({ calls, ref, handle, called }) => {
    await called('awaitTraining 1');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(calls).toContain('recordTrainingFailed 1 Cancelled in no step');
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 Cancelled in no step');
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    expect((await namespace.handle('pipeline', ref.id).describe()).status.name).toBe('CANCELLED');
  }));
