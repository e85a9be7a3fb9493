import { afterAll, beforeAll, expect, test } from 'vitest';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { giveUp, goOn, type PIPELINE } from './fakes.js';
import { eventually, openNamespace, type TestNamespace } from './namespace.js';
import { asking, withPipelineRun } from './pipeline-runs.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const withRun = (changes: Parameters<typeof withPipelineRun>[1], act: Parameters<typeof withPipelineRun>[2]) =>
  withPipelineRun(namespace, { ...asking(), ...changes }, act);
const start = (ref: RunRef) => namespace.runs.changed('pipeline', ref);
const notWaiting = (message: string) => expect.objectContaining({ code: 'not_waiting', message });
const count = (calls: readonly string[], call: string) => calls.filter((each) => each === call).length;

/** Repeats a decision until the run takes it: before the document says that it waits, it does not. */
const whenWaiting = (called: (call: string) => Promise<unknown>) => called('beginPipelineApproval 1');

test('an approved run goes on with its deployment; the word is kept first', () =>
  withRun({}, async ({ calls, ref, called, outcome, decide }) => {
    await start(ref);
    await whenWaiting(called);
    const shown = () =>
      namespace.handle('pipeline', ref.id).query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    // As code: the Web UI would make one dash of two.
    await eventually(async () =>
      (await shown()).currentDetails?.includes(`- decide with: \`slipway approve ${ref.id} --reason ...\``),
    );
    await decide('approved');
    expect(calls).toContain('recordPipelineApproval 1 approved');
    expect(await outcome()).toBeUndefined();
    const from = calls.indexOf('beginPipelineApproval 1');
    expect(calls.slice(from, from + 3)).toEqual([
      'beginPipelineApproval 1',
      'recordPipelineApproval 1 approved',
      'applyPipelineDeployment 1',
    ]);
  }));

test('a rejected run ends with who and why, and deploys nothing', () =>
  withRun({}, async ({ calls, ref, called, outcome, status, decide }) => {
    await start(ref);
    await whenWaiting(called);
    await decide('rejected');
    const { cause } = (await outcome()) as Error;
    expect(cause).toMatchObject({ type: 'Rejected', message: 'rejected by ann: because' });
    expect(calls).toContain('recordPipelineApproval 1 rejected');
    expect(calls).not.toContain('applyPipelineDeployment 1');
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 Rejected in no step');
    expect(await status()).toBe('FAILED');
  }));

test('no decision in time is a timeout; a later decision is refused with that reason', () =>
  withRun(asking(1), async ({ calls, ref, outcome, decide }) => {
    await start(ref);
    const { cause } = (await outcome()) as Error;
    expect(cause).toMatchObject({ type: 'Timeout', message: 'no decision in time' });
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 Timeout in no step');
    await expect(decide('approved')).rejects.toEqual(notWaiting(`run ${ref.id} has ended, or has not begun`));
  }));

test('a word that came in time counts, also when it takes long to write down', () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  return withRun({ ...asking(6), recordPipelineApproval: () => held }, async ({ ref, called, outcome, decide }) => {
    await start(ref);
    await whenWaiting(called);
    const deciding = decide('approved');
    await eventually(async () => {
      const { events } = await namespace.handle('pipeline', ref.id).fetchHistory();
      return events?.some((event) => event.timerFiredEventAttributes) === true;
    });
    release();
    await deciding;
    expect(await outcome()).toBeUndefined();
  });
});

test('the second word is refused; the same word again is not', () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  return withRun({ awaitPipelineDeployment: () => held }, async ({ calls, ref, called, outcome, decide }) => {
    await start(ref);
    await whenWaiting(called);
    await Promise.all(Array.from({ length: 4 }, () => decide('approved', 'once')));
    await decide('approved', 'once');
    await expect(decide('rejected')).rejects.toEqual(notWaiting('the run was approved by ann already'));
    await expect(decide('approved', 'twice')).rejects.toEqual(notWaiting('the run was approved by ann already'));
    release();
    expect(await outcome()).toBeUndefined();
    expect(calls.filter((call) => call.startsWith('recordPipelineApproval'))).toEqual([
      'recordPipelineApproval 1 approved',
    ]);
  });
});

test('a run that does not wait takes no word', () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const awaitTraining = () => held;
  return withRun({ awaitTraining }, async ({ ref, called, outcome, decide }) => {
    await expect(decide('approved')).rejects.toEqual(notWaiting(`run ${ref.id} has ended, or has not begun`));
    await start(ref);
    await called('awaitTraining 1');
    await expect(decide('approved', 'early')).rejects.toEqual(notWaiting('the run does not wait for an approval'));
    release();
    await whenWaiting(called);
    // The refusal was of that moment: with the same key it is taken now.
    await decide('approved', 'early');
    expect(await outcome()).toBeUndefined();
  });
});

test('who is faster than the run, between its note and its wait, is heard', () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  return withRun({ beginPipelineApproval: () => held }, async ({ calls, ref, called, outcome, decide }) => {
    await start(ref);
    await called('beginPipelineApproval 1');
    const deciding = decide('approved');
    await eventually(async () => {
      const { events } = await namespace.handle('pipeline', ref.id).fetchHistory();
      return events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes) === true;
    });
    expect(calls).not.toContain('recordPipelineApproval 1 approved');
    release();
    await deciding;
    expect(await outcome()).toBeUndefined();
    expect(calls).toContain('recordPipelineApproval 1 approved');
  });
});

test('a decision that could not be stored does not count: it may be made again', () => {
  let attempts = 0;
  const recordPipelineApproval = async () => {
    attempts += 1;
    if (attempts === 1) throw new SlipwayError('not_waiting', 'it was not kept');
  };
  return withRun({ recordPipelineApproval }, async ({ ref, called, outcome, decide }) => {
    await start(ref);
    await whenWaiting(called);
    await expect(decide('approved', 'first')).rejects.toEqual(notWaiting('it was not kept'));
    await decide('approved', 'second');
    expect(await outcome()).toBeUndefined();
  });
});

test('a run that is canceled while it waits takes no word any more', () =>
  withRun({}, async ({ calls, ref, called, outcome, status, decide }) => {
    await start(ref);
    await whenWaiting(called);
    await namespace.runs.cancel('pipeline', ref);
    await outcome();
    expect(calls.at(-1)).toBe('recordPipelineFailed 1 Cancelled in no step');
    expect(await status()).toBe('CANCELLED');
    await expect(decide('approved')).rejects.toEqual(notWaiting(`run ${ref.id} has ended, or has not begun`));
  }));

test('who decides while the run is being canceled gets an answer', () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const recordPipelineApproval = () => held;
  return withRun({ recordPipelineApproval }, async ({ calls, ref, called, outcome, status, decide }) => {
    await start(ref);
    await whenWaiting(called);
    const deciding = decide('approved');
    await called('recordPipelineApproval 1 approved');
    await namespace.runs.cancel('pipeline', ref);
    await called('recordPipelineFailed 1 Cancelled in no step');
    release();
    await deciding;
    await outcome();
    expect(await status()).toBe('CANCELLED');
    expect(calls).not.toContain('applyPipelineDeployment 1');
  });
});

test('a cancellation between note and wait is returned to the caller who was deciding', () =>
  withRun({ beginPipelineApproval: goOn }, async ({ ref, called, outcome, decide }) => {
    await start(ref);
    await called('beginPipelineApproval 1');
    const deciding = decide('approved').catch((err: unknown) => err);
    await eventually(async () => {
      const { events } = await namespace.handle('pipeline', ref.id).fetchHistory();
      return events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes) === true;
    });
    await namespace.runs.cancel('pipeline', ref);
    await outcome();
    expect(await deciding).toMatchObject({ code: 'not_waiting' });
  }));

test('a word is on the generation that its author saw', () =>
  withRun({}, async ({ calls, ref, called, outcome, decide }) => {
    await start(ref);
    await whenWaiting(called);
    await start({ ...ref, generation: 2 });
    await called('beginPipelineApproval 2');
    await expect(decide('approved', 'late', 1)).rejects.toEqual(notWaiting('the run was tried again since'));
    await eventually(async () => {
      await decide('approved', 'now', 2);
      return true;
    });
    expect(await outcome()).toBeUndefined();
    expect(calls).toContain('recordPipelineFailed 1 Cancelled in no step');
    expect(count(calls, 'recordPipelineApproval 2 approved')).toBe(1);
    expect(calls.at(-1)).toBe('recordPipelineSucceeded 2');
  }));

test('the same key on another generation is another word', () => {
  const awaitPipelineDeployment: typeof PIPELINE.awaitPipelineDeployment = async ({ ref }) =>
    ref.generation === 1 ? giveUp('ProbeFailed')() : undefined;
  return withRun({ awaitPipelineDeployment }, async ({ calls, ref, called, outcome, decide }) => {
    await start(ref);
    await whenWaiting(called);
    await decide('approved', 'same', 1);
    expect(await outcome()).toBeDefined();
    await start({ ...ref, generation: 2 });
    await called('beginPipelineApproval 2');
    await expect(decide('approved', 'same', 1)).rejects.toEqual(notWaiting('the run was tried again since'));
    await decide('approved', 'same', 2);
    expect(await outcome()).toBeUndefined();
    expect(count(calls, 'recordPipelineApproval 2 approved')).toBe(1);
  });
});

test('the deadline of an approval is named in the history', () =>
  withRun({}, async ({ ref, called, outcome, decide }) => {
    await start(ref);
    await whenWaiting(called);
    const summary = await eventually(async () => {
      const events = (await namespace.handle('pipeline', ref.id).fetchHistory()).events ?? [];
      const timer = events.find((event) => event.timerStartedEventAttributes);
      return timer && Buffer.from(timer.userMetadata?.summary?.data ?? '').toString();
    });
    expect(summary).toBe('"deadline of the approval"');
    await decide('approved');
    await outcome();
  }));
