import { expect, test } from 'vitest';
import { advance, claim, currentResource, recordEnd } from '../../../activities/shared/status.js';
import { logPrefix, type RunRef } from '../../../platform/kinds/ids.js';
import type { Training, TrainingStatus } from '../../../lifecycle/kinds/training.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { newTraining } from './resources.js';

const now = () => new Date('2026-02-01T00:00:00Z');

async function startScene(changes: Partial<Training> = {}) {
  const database = createMemoryDatabase();
  const store = createResources<Training>({ database, kind: 'ModelTraining' });
  const entity = await store.insert({ ...newTraining('wine'), ...changes });
  const ref: RunRef = { id: 'wine', uid: entity.uid, generation: entity.generation };
  const logs = createLogs({ objects: createMemoryObjects(), flushMs: 5, pollMs: 5 });
  const state = async () => (await store.get('wine'))?.status.state;
  const move = (to: TrainingStatus['state'], patch: Partial<TrainingStatus> = {}) =>
    advance<TrainingStatus, Training>(store, ref, to, patch, now);
  const fail = (reason: 'Cancelled' | 'Timeout', at = ref) =>
    recordEnd<TrainingStatus, Training>(store, logs, {
      kind: 'training',
      ref: at,
      failure: { reason, message: 'm' },
      now,
    });
  return { store, ref, logs, state, move, fail };
}
const stale = { code: 'stale_generation' };

test('a status moves forward and never back, each state once', async () => {
  const { store, move } = await startScene();
  await move('scheduling');
  await move('running', { startedAt: 'first' });
  await move('running', { startedAt: 'second' });
  await move('scheduling');
  await move('succeeded', { artifactName: 'a' });
  await move('failed');
  const status = (await store.get('wine'))?.status;
  expect(status).toMatchObject({ state: 'succeeded', startedAt: 'first', artifactName: 'a' });
  expect(status?.transitions.map(({ state }) => state)).toEqual(['unknown', 'scheduling', 'running', 'succeeded']);
});

test('an older generation, and a resource that was created again, are not touched', async () => {
  const { store, ref, move, state } = await startScene({ generation: 2 });
  for (const other of [
    { ...ref, generation: 1 },
    { ...ref, uid: 'another' },
  ]) {
    await expect(currentResource(store, other)).rejects.toMatchObject(stale);
    await expect(claim<TrainingStatus, Training>(store, 'training', other, now)).rejects.toMatchObject(stale);
    await expect(advance<TrainingStatus, Training>(store, other, 'running', {}, now)).rejects.toMatchObject(stale);
  }
  expect(await state()).toBe('unknown');
  await store.remove('wine');
  await expect(currentResource(store, ref)).rejects.toMatchObject(stale);
  await expect(move('running')).rejects.toMatchObject({ code: 'not_found', retryable: false });
});

test('a claim names workflow and container, and can be repeated while the run goes on', async () => {
  const { store, ref, move } = await startScene();
  await claim<TrainingStatus, Training>(store, 'training', ref, now);
  await move('running');
  const { status } = await claim<TrainingStatus, Training>(store, 'training', ref, now);
  expect(status).toMatchObject({ state: 'running', workflowId: 'training/wine' });
  expect(status.podName).toMatch(/^slipway-training-wine-/);
});

test.each(['succeeded', 'failed'] as const)('a run that has %s is not run again', async (state) => {
  const { store, ref, move } = await startScene();
  await move(state);
  await expect(claim<TrainingStatus, Training>(store, 'training', ref, now)).rejects.toMatchObject(stale);
});

test('a reset of the workflow of a run that has ended is refused with what to do, and changes nothing', async () => {
  const { store, ref, move } = await startScene({ generation: 2 });
  await move('succeeded', { artifactName: 'a' });
  const before = await store.get('wine');
  await expect(claim<TrainingStatus, Training>(store, 'training', ref, now)).rejects.toMatchObject({
    ...{ ...stale, expose: true, retryable: false },
    message:
      'generation 2 of "wine" ended as succeeded and is not run again: change its spec, or create it under another id',
  });
  expect(await store.get('wine')).toEqual(before);
});

test('a run that a person canceled before it started does not start', async () => {
  const { store, ref, state } = await startScene({ cancelRequestedAt: '2026-01-01T00:00:00.000Z' });
  await expect(claim<TrainingStatus, Training>(store, 'training', ref, now)).rejects.toMatchObject({
    code: 'run_failed',
    detail: expect.objectContaining({ reason: 'Cancelled' }),
  });
  expect(await state()).toBe('unknown');
});

test('the end of a run has reason, time and the tail of its log, and the log ends', async () => {
  const { store, ref, logs, fail } = await startScene();
  const log = await logs.writer(logPrefix('training', ref));
  await log.step('train');
  await log.append({ at: '2026-01-01T00:00:00Z', stream: 'stderr', text: 'KeyError: alcohol' });
  await log.flush();
  await fail('Timeout');
  await fail('Cancelled');
  expect((await store.get('wine'))?.status).toMatchObject({
    state: 'failed',
    reason: 'Timeout',
    message: 'm',
    logTail: 'INFO === train\nKeyError: alcohol',
    finishedAt: now().toISOString(),
  });
  expect(await logs.end(logPrefix('training', ref))).toBeDefined();
  const text: string[] = [];
  for await (const part of logs.read(logPrefix('training', ref), { follow: false })) text.push(part);
  expect(text.join('')).toBe('INFO === train\nKeyError: alcohol\nINFO train ended\nERROR failed: Timeout: m\n');
});

test('the end of a run whose entity is gone or newer is only the end of its log', async () => {
  const { ref, logs, state, fail } = await startScene({ generation: 2 });
  const older = { ...ref, generation: 1 };
  await fail('Cancelled', older);
  expect(await state()).toBe('unknown');
  expect(await logs.end(logPrefix('training', older))).toBeDefined();
  await fail('Cancelled', { ...ref, id: 'gone' });
});
