import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withinLimit } from '../../../activities/packaging/time-limit.js';

const BEGIN = new Date('2026-01-01T00:00:00.000Z');
const limit = (limitSeconds: number, elapsedSeconds = 0, signal = new AbortController().signal) => ({
  startedAt: BEGIN,
  limitSeconds,
  signal,
  now: () => new Date(BEGIN.getTime() + elapsedSeconds * 1_000),
});
const timeout = expect.objectContaining({
  code: 'run_failed',
  retryable: false,
  detail: expect.objectContaining({ reason: 'Timeout' }),
});

test('work that ends in time keeps its result and its error', async () => {
  await expect(withinLimit(limit(60), async () => 'done')).resolves.toBe('done');
  await expect(withinLimit(limit(60), async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('work that reaches the limit is aborted and fails with Timeout', async () => {
  let aborted = false;
  const work = async (signal: AbortSignal) => {
    signal.addEventListener('abort', () => (aborted = true));
    await sleep(60_000, undefined, { signal });
  };
  await expect(withinLimit(limit(0.02), work)).rejects.toEqual(timeout);
  expect(aborted).toBe(true);
});

test('work that ignores its signal fails at the limit too', async () => {
  await expect(withinLimit(limit(0.02), () => new Promise(() => undefined))).rejects.toEqual(timeout);
});

test('time of earlier attempts and steps counts', async () => {
  let begun = false;
  const work = async () => void (begun = true);
  await expect(withinLimit(limit(60, 60), work)).rejects.toEqual(timeout);
  expect(begun).toBe(false);
  await withinLimit(limit(60, 59), work);
  expect(begun).toBe(true);
});

test('a cancellation reaches the work as itself', async () => {
  const canceled = AbortSignal.abort(new Error('canceled'));
  await expect(withinLimit(limit(60, 0, canceled), async (signal) => signal.throwIfAborted())).rejects.toThrow(
    'canceled',
  );
});

test('a limit longer than a timer can wait does not fire at once', async () => {
  await expect(withinLimit(limit(10_000_000), async () => sleep(5, 'done'))).resolves.toBe('done');
});
