import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../../notifications/delivery/retry-after.js';

const now = new Date('2026-01-01T00:00:00Z');
const secondsOf = (value: string): number | undefined => {
  const at = parseRetryAfter(value, now);
  return at && (at.getTime() - now.getTime()) / 1_000;
};

test('seconds and dates are taken, at most a day ahead and never back', () => {
  expect(secondsOf('120')).toBe(120);
  expect(secondsOf(' 0 ')).toBe(0);
  expect(secondsOf('Thu, 01 Jan 2026 00:05:00 GMT')).toBe(300);
  expect(secondsOf('Wed, 31 Dec 2025 00:05:00 GMT')).toBe(0);
  expect(secondsOf('9999999999')).toBe(86_400);
});

test('anything else is none', () => {
  for (const value of ['', 'soon', '-1', '1.5', '1e3', '2026-01-01T00:05:00Z', 'Thu, 99 Jan 2026 00:05:00 GMT']) {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  }
});
