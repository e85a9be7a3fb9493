import { expect, test } from 'vitest';
import { createWatchHeartbeat } from '../../../../activities/notifications/watches/watch-heartbeat.js';

function open({ now, due, log, heartbeatMs = 0 }: { now: number; due: number; log: number; heartbeatMs?: number }) {
  const appended: boolean[] = [];
  const proveSilence = createWatchHeartbeat({
    ...{ now: () => new Date(now), heartbeatMs, nextDue: () => due, logTime: () => log },
    append: async (isObsolete) => void appended.push(!isObsolete()),
  });
  return { appended, proveSilence };
}

test('a deadline that has passed appends a heartbeat', async () => {
  const { proveSilence, appended } = open({ now: 20, due: 10, log: 5 });
  await proveSilence();
  expect(appended).toEqual([true]);
});

test.each([
  ['a later entry', { now: 20, due: 10, log: 15 }],
  ['a deadline to come', { now: 20, due: 30, log: 5 }],
])('%s appends none', async (_, times) => {
  const { proveSilence, appended } = open(times);
  await proveSilence();
  expect(appended).toEqual([]);
});

test('a log without an entry gets its first one', async () => {
  const { proveSilence, appended } = open({ now: 20, due: 10, log: NaN });
  await proveSilence();
  expect(appended).toEqual([true]);
});

test('between two heartbeats there is the interval, also when the log does not show the first', async () => {
  const { proveSilence, appended } = open({ now: 20, due: 10, log: 5, heartbeatMs: 3_600_000 });
  await proveSilence();
  await proveSilence();
  expect(appended).toEqual([true]);
});
