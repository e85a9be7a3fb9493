import { afterAll, beforeAll, expect, test } from 'vitest';
import { goOn } from './fakes.js';
import { openNamespace, type TestNamespace } from './namespace.js';
import { NOTIFYING, withPipelineRun } from './pipeline-runs.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

test('a run schedules no webhook of its own, also when its plan still names addresses', () =>
  withPipelineRun(namespace, NOTIFYING, async ({ calls, ref, called, outcome, decide }) => {
    await namespace.runs.changed('pipeline', ref);
    await called('beginPipelineApproval 1');
    await decide('approved');
    expect(await outcome()).toBeUndefined();
    expect(calls).toContain('recordPipelineSucceeded 1');
    expect(calls.filter((call) => call.startsWith('notifyPipelineRun'))).toEqual([]);
  }));

test('a canceled run schedules none either', () =>
  withPipelineRun(namespace, { ...NOTIFYING, checkPipelineHeldOut: goOn }, async ({ calls, ref, called, outcome }) => {
    await namespace.runs.changed('pipeline', ref);
    await called('checkPipelineHeldOut 1');
    await namespace.runs.cancel('pipeline', ref);
    await outcome();
    expect(calls).toContain('recordPipelineFailed 1 Cancelled in no step');
    expect(calls.filter((call) => call.startsWith('notifyPipelineRun'))).toEqual([]);
  }));
