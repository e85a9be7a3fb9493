import { expect, test } from 'vitest';
import { createDatabaseClock } from '../../../platform/stores/database-clock.js';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A process whose clock is ahead of the database's. */
function open(aheadMs: number) {
  let serverMs = START;
  const clock = createDatabaseClock(() => serverMs + aheadMs);
  return {
    clock,
    /** The server answers; its answer is `lateMs` on the way. */
    answer: (lateMs: number): void => {
      const readMs = serverMs;
      serverMs += lateMs;
      clock.note(readMs);
    },
    pass: (ms: number) => void (serverMs += ms),
    errorMs: () => clock.now().getTime() - serverMs,
  };
}

test.each([HOUR_MS, -HOUR_MS, 1_500])(
  'a process whose clock is %d ms ahead tells the time of the database',
  (ahead) => {
    const { answer, pass, errorMs, clock } = open(ahead);
    expect(errorMs()).toBe(ahead); // without an answer there is only the own clock
    answer(0);
    pass(HOUR_MS);
    expect(errorMs()).toBe(0);
    expect(clock.offsetMs()).toBe(-ahead);
  },
);

test('answers that are late do not move the clock: the quickest of the newest counts', () => {
  const { answer, errorMs } = open(HOUR_MS);
  for (const lateMs of [900, 3, 2_000, 70]) answer(lateMs);
  expect(errorMs()).toBe(-3);
});

test('clocks that agree stay exact, whatever the way of the answers takes', () => {
  const { answer, errorMs } = open(0);
  for (const lateMs of [90, 12, 40]) answer(lateMs);
  expect(errorMs()).toBe(0);
});

test.each([-5_000, 5_000])('a clock that was set %d ms on is followed', (setMs) => {
  let serverMs = START;
  let aheadMs = 0;
  const clock = createDatabaseClock(() => serverMs + aheadMs);
  clock.note(serverMs);
  aheadMs = setMs;
  for (let count = 0; count < 16; count += 1) clock.note(serverMs++);
  expect(Math.abs(clock.now().getTime() - serverMs)).toBeLessThan(100);
});
