import { expect, test } from 'vitest';
import { createStepRunner, type PackagingStep } from '../../../activities/packaging/packaging-step.js';
import type { Packaging } from '../../../lifecycle/kinds/packaging.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { logPrefix } from '../../../platform/kinds/ids.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { newAttempt } from '../shared/environment.js';
import { newPackaging } from '../shared/resources.js';

const NOW = Date.parse('2026-01-02T00:00:00.000Z');

async function open({ startedAt }: { startedAt?: number } = {}) {
  const logs = createLogs({ objects: createMemoryObjects() });
  const packagings = createResources<Packaging>({ database: createMemoryDatabase(), kind: 'ModelPackaging' });
  const packaging = newPackaging('wine');
  const started = startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() };
  const { id, uid, generation } = await packagings.insert({
    ...packaging,
    status: { ...packaging.status, ...started },
  });
  const runStep = createStepRunner({ packagings, logs, limitSeconds: 60, now: () => new Date(NOW) });
  const ref = { id, uid, generation };
  const log = async () => {
    let text = '';
    for await (const part of logs.read(logPrefix('packaging', ref), { follow: false })) text += part;
    return text;
  };
  const run = <T>(work: (step: PackagingStep) => Promise<T>, attempt = newAttempt()) =>
    attempt.run(() => runStep(ref, 'build', work));
  return { run, runStep, ref, packagings, log };
}

test('a step gets its packaging and a log that is stored at its end', async () => {
  const { run, log } = await open();
  const result = await run(async ({ packaging, say, signal }) => {
    say('INFO first');
    say('INFO second');
    return [packaging.id, signal.aborted];
  });
  expect(result).toEqual(['wine', false]);
  const text = await log();
  expect(text.match(/=== build|INFO first|INFO second/g)).toEqual(['=== build', 'INFO first', 'INFO second']);
});

test('the log of a step that failed is stored too', async () => {
  const { run, log } = await open();
  const failing = run(async ({ say }) => {
    say('ERROR no space left');
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await log()).toContain('ERROR no space left');
});

test('a repeated step goes on with the log and names itself once', async () => {
  const { run, log } = await open();
  await run(async ({ say }) => say('INFO one'));
  await run(async ({ say }) => say('INFO two'));
  expect((await log()).match(/=== build/g)).toHaveLength(1);
});

test.each([
  ['the limit was reached', NOW - 60_000, false],
  ['the limit is near', NOW - 59_000, true],
  ['it has not started', undefined, true],
])('a packaging runs its step where %s: %s', async (_, startedAt, expected) => {
  const { run } = await open(startedAt === undefined ? {} : { startedAt });
  let isRun = false;
  const running = run(async () => void (isRun = true));
  if (expected) await running;
  else await expect(running).rejects.toMatchObject({ code: 'run_failed', detail: { reason: 'Timeout' } });
  expect(isRun).toBe(expected);
});

test('the signal of a step aborts with the activity', async () => {
  const { run } = await open();
  const attempt = newAttempt();
  const aborted = await run(async ({ signal }) => {
    attempt.cancel();
    return signal.aborted;
  }, attempt);
  expect(aborted).toBe(true);
});

test('a step of another generation does not run', async () => {
  const { runStep, ref } = await open();
  const running = newAttempt().run(() => runStep({ ...ref, generation: 2 }, 'build', async () => 'ran'));
  await expect(running).rejects.toMatchObject({ code: 'stale_generation' });
});
