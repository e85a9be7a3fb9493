import { expect, test } from 'vitest';
import { createWatchHeartbeat } from '../../../activities/notifications/watch-heartbeat.js';

function open({ own, shared, due, log }: { own: number; shared: number; due: number; log: number }) {
  const appended: boolean[] = [];
  const heartbeat = createWatchHeartbeat({
    now: () => new Date(own),
    sharedTime: async () => new Date(shared),
    heartbeatMs: 0,
    nextDue: () => due,
    logTime: () => log,
    append: async (isObsolete) => void appended.push(!isObsolete()),
  });
  return { appended, ...heartbeat };
}

test('a deadline that has passed appends a heartbeat', async () => {
  const { proveSilence, appended } = open({ own: 20, shared: 20, due: 10, log: 5 });
  await proveSilence();
  expect(appended).toEqual([true]);
});

test('a later entry, a deadline to come and a clock that is ahead append none', async () => {
  const times = [
    { own: 20, shared: 20, due: 10, log: 15 },
    { own: 20, shared: 20, due: 30, log: 5 },
    { own: 20, shared: 8, due: 10, log: 5 },
  ];
  for (const time of times) {
    const { proveSilence, appended } = open(time);
    await proveSilence();
    expect(appended).toEqual([]);
  }
});

test('a log without an entry gets its first one', async () => {
  const { proveSilence, appended, sharedNow } = open({ own: 20, shared: 25, due: 10, log: NaN });
  await proveSilence();
  expect(appended).toEqual([true]);
  expect(sharedNow()).toEqual(new Date(25));
});
