import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunKind, runMemo, type RunRef } from '../../platform/kinds/ids.js';
import { type OwnStack, startOwnStack } from '../stack/own-stack.js';
import { childOf, goOn, PACKAGING, PIPELINE, TRAINING } from './fakes.js';
import { eventually, newRef, openNamespace, type TestNamespace } from './namespace.js';

let stack: OwnStack;
let namespace: TestNamespace;
beforeAll(async () => {
  // The server of the other tests may have an older database, whose queues are not fair.
  stack = await startOwnStack({ only: ['temporal'] });
  process.env.TEMPORAL_ADDRESS = stack.settings.TEMPORAL_ADDRESS;
  namespace = await openNamespace();
});
afterAll(async () => {
  await namespace.close();
  await stack.stop();
});

const PACKAGINGS_OF_ADA = 60;
/** Longer than the server takes to put an activity into its queue. */
const BUILD_MS = 100;

const describe = (kind: RunKind, { id }: RunRef) => namespace.handle(kind, id).describe();
const keyOf = async (kind: RunKind, ref: RunRef) => (await describe(kind, ref)).priority?.fairnessKey;

/** Waits until the activity of a run is queued or runs. */
const waits = (kind: RunKind, ref: RunRef, activity: string) =>
  eventually(async () => {
    const { raw } = await describe(kind, ref);
    return raw.pendingActivities?.some(({ activityType }) => activityType?.name === activity);
  });

test('a run of one owner does not wait for 60 runs of another owner', async () => {
  const begun: string[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const buildImage = async ({ ref }: { ref: RunRef }) => {
    begun.push(ref.id);
    await gate;
    await sleep(BUILD_MS);
    return PACKAGING.buildImage({ ref, uuid: '' });
  };
  const ofAda = Array.from({ length: PACKAGINGS_OF_ADA }, () => newRef());
  const ofBob = newRef();
  const work = async () => {
    for (const ref of ofAda) await namespace.runs.changed('packaging', { ...ref, createdBy: 'ada' });
    for (const ref of ofAda) await waits('packaging', ref, 'buildImage');
    await namespace.runs.changed('packaging', { ...ofBob, createdBy: 'bob' });
    await waits('packaging', ofBob, 'buildImage');
    open();
    await eventually(() => begun.includes(ofBob.id));
  };
  await namespace.withActivities({ ...PACKAGING, buildImage }, work, { slots: { packaging: 1 } });
  expect(begun.indexOf(ofBob.id)).toBeLessThan(10);
});

test('a child run and a later generation use the share of the same owner', async () => {
  const ref = newRef();
  await namespace.withActivities({ ...PIPELINE, ...PACKAGING, ...TRAINING, awaitTraining: goOn }, async () => {
    await namespace.runs.changed('pipeline', { ...ref, createdBy: 'ada' });
    await waits('training', childOf(ref), 'awaitTraining');
    const key = await keyOf('pipeline', ref);
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(await keyOf('training', childOf(ref))).toBe(key);

    const next = { ...childOf(ref), generation: 2 };
    await namespace.runs.changed('training', next);
    await eventually(async () => (await describe('training', next)).memo?.generation === runMemo(next).generation);
    expect(await keyOf('training', next)).toBe(key);
    await namespace.runs.cancel('training', next);
    await namespace.handle('pipeline', ref.id).cancel();
  });
});
