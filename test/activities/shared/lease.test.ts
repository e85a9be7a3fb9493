import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LEASE_ANSWER_MS, whileLeased } from '../../../activities/shared/lease.js';
import { newAttempt } from './environment.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Work that lasts until it is aborted. */
const endless = async (signal: AbortSignal): Promise<never> => {
  for (;;) await sleep(60_000, undefined, { signal });
};
const run = (renew: () => Promise<void>, work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> =>
  newAttempt()
    .run(() => whileLeased(renew, work))
    .catch((err: unknown) => err);

test('work whose lease is renewed ends by itself', async () => {
  const renew = vi.fn(async () => {});
  const ended = run(renew, async () => 'done');
  expect(await ended).toBe('done');
  expect(renew).toHaveBeenCalledTimes(1);
});

test('one answer that is missing ends nothing', async () => {
  const ended = run(
    () => Promise.reject(new Error('no answer')),
    async () => 'done',
  );
  expect(await ended).toBe('done');
});

test('work ends once Temporal was silent for longer than the lease, as after a process that was stopped', async () => {
  let worked: unknown;
  const silent = () => {
    vi.setSystemTime(Date.now() + 7_000);
    return Promise.reject(new Error('no answer'));
  };
  const ended = run(silent, async (signal) => {
    try {
      await endless(signal);
    } catch (err) {
      worked = err;
      throw err;
    }
  });
  expect(await ended).toMatchObject({ code: 'unavailable', retryable: true });
  expect(worked).toMatchObject({ name: 'AbortError' });
});

test.each([
  [60_000, 20_000],
  [10_000, 5_000], // of an open run of an earlier release
])(
  'with a heartbeat timeout of %i ms renewals are rare, and the attempt ends before another one',
  async (timeout, rare) => {
    const calls: { at: number; renewed: boolean }[] = [];
    const renew = () => {
      const renewed = calls.length < 3;
      calls.push({ at: Date.now(), renewed });
      if (renewed) return Promise.resolve();
      vi.setSystemTime(Date.now() + LEASE_ANSWER_MS);
      return Promise.reject(new Error('no answer'));
    };
    const wait = async (ms: number) => void vi.setSystemTime(Date.now() + ms);
    const ended = newAttempt({ heartbeatTimeoutMs: timeout })
      .run(() => whileLeased(renew, endless, { wait }))
      .catch((err: unknown) => err);
    expect(await ended).toMatchObject({ code: 'unavailable' });
    const renewals = calls.filter(({ renewed }) => renewed).map(({ at }) => at);
    const [first = 0, second = 0, last = 0] = renewals;
    expect(Math.min(second - first, last - second)).toBeGreaterThanOrEqual(rare);
    expect(calls.length).toBeGreaterThan(renewals.length);
    expect(Date.now() - last).toBeLessThan(timeout);
  },
);

test('a cancellation is one, whatever the lease', async () => {
  const attempt = newAttempt();
  const ended = attempt.run(() => whileLeased(async () => {}, endless)).catch((err: unknown) => err);
  attempt.cancel('CANCELLED');
  expect(await ended).toMatchObject({ name: 'AbortError' });
});
