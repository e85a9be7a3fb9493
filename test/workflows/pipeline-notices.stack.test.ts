import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunRef } from '../../platform/kinds/ids.js';
import { giveUp, goOn, type PIPELINE } from './fakes.js';
import { openNamespace, type TestNamespace } from './namespace.js';
import { TELLING, withPipelineRun } from './pipeline-runs.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const withRun = (changes: Parameters<typeof withPipelineRun>[1], act: Parameters<typeof withPipelineRun>[2]) =>
  withPipelineRun(namespace, changes, act);
const start = (ref: RunRef) => namespace.runs.changed('pipeline', ref);

test('addresses hear of what they asked for, after it is recorded; who decides does not wait for them', () => {
  let release = (): void => {};
  const slow = new Promise<void>((resolve) => (release = resolve));
  const notifyPipelineRun: typeof PIPELINE.notifyPipelineRun = ({ notice }) =>
    notice === 'waiting' ? slow : Promise.resolve();
  return withRun({ ...TELLING, notifyPipelineRun }, async ({ calls, ref, called, outcome, decide }) => {
    await start(ref);
    await called('notifyPipelineRun 1 waiting to 0');
    await decide('approved');
    await called('recordPipelineSucceeded 1');
    release();
    expect(await outcome()).toBeUndefined();
    const recorded = calls.indexOf('recordPipelineSucceeded 1');
    expect(calls.slice(recorded + 1).sort()).toEqual([
      'notifyPipelineRun 1 succeeded to 0',
      'notifyPipelineRun 1 succeeded to 1',
    ]);
  });
});

test('an address that refuses changes nothing about the run, and is named in the Web UI', () =>
  withRun(
    { ...TELLING, notifyPipelineRun: giveUp('PushFailed', 'example.org answered 410') },
    async ({ ref, called, outcome, decide }) => {
      await start(ref);
      await called('beginPipelineApproval 1');
      await decide('approved');
      expect(await outcome()).toBeUndefined();
      const details = await namespace
        .handle('pipeline', ref.id)
        .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      // language: the text of the workflow.
      expect(details.currentDetails).toContain('address 2 of notify was not told: example.org answered 410');
    },
  ));

test('who asked to hear of failures hears of a canceled run too', () =>
  withRun({ ...TELLING, checkPipelineHeldOut: goOn }, async ({ calls, ref, called, outcome }) => {
    await start(ref);
    await called('checkPipelineHeldOut 1');
    await namespace.runs.cancel('pipeline', ref);
    await outcome();
    expect(calls.slice(-2)).toEqual(['recordPipelineFailed 1 Cancelled in no step', 'notifyPipelineRun 1 failed to 1']);
  }));
