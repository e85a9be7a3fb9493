import { expect, test } from 'vitest';
import { createDeadlines, missedPeriods } from '../../../notifications/watches/deadlines.js';

const at = (text: string): number => Date.parse(text);
const ticks = (cron: string, zone: string, from: string, count: number): string[] => {
  const { next } = createDeadlines({ cron, zone });
  const found = [next(at(from))];
  while (found.length < count) found.push(next(found.at(-1) ?? NaN));
  return found.map((time) => new Date(time).toISOString().slice(0, 16));
};

test('a sliding period ends so long after the change, whatever the clocks do', () => {
  const { after, next } = createDeadlines('P14D');
  expect(after(at('2026-03-20T09:00:00Z'))).toBe(at('2026-04-03T09:00:00Z'));
  expect(next(at('2026-04-03T09:00:00Z'))).toBe(at('2026-04-17T09:00:00Z'));
});

test('a change is good until the tick after the one that ends its stretch; on the tick itself it is still in time', () => {
  const { after } = createDeadlines({ cron: '0 17 * * 1-5', zone: 'America/New_York' });
  // Thursday and Friday before the clocks change there; then Monday and Tuesday, an hour earlier in UTC.
  expect(new Date(after(at('2026-03-05T15:00:00Z'))).toISOString()).toBe('2026-03-06T22:00:00.000Z');
  expect(new Date(after(at('2026-03-06T22:00:00.000Z'))).toISOString()).toBe('2026-03-09T21:00:00.000Z');
  expect(new Date(after(at('2026-03-06T22:00:00.001Z'))).toISOString()).toBe('2026-03-10T21:00:00.000Z');
});

test('a time of day that the clocks skip comes when they jump; one that comes twice counts once', () => {
  expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
});

test('an hourly calendar has 23 and 25 ticks on those days', () => {
  const between = (from: string, to: string): number => {
    const { next } = createDeadlines({ cron: '0 * * * *', zone: 'Europe/Berlin' });
    let count = 0;
    for (let time = next(at(from)); time <= at(to); time = next(time)) count += 1;
    return count;
  };
  expect(between('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z')).toBe(23);
  expect(between('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')).toBe(25);
});

test('missed periods are those that ended, and no more than a thousand are counted', () => {
  const daily = createDeadlines('P1D');
  const deadline = at('2026-01-02T00:00:00Z');
  const missed = (time: string): number => missedPeriods(daily, deadline, at(time));
  expect(missed('2026-01-02T00:00:00Z')).toBe(0);
  expect(missed('2026-01-02T00:00:00.001Z')).toBe(1);
  expect(missed('2026-01-03T00:00:00Z')).toBe(1);
  expect(missed('2026-01-04T12:00:00Z')).toBe(3);
  expect(missed('2126-01-01T00:00:00Z')).toBe(1_000);
});
