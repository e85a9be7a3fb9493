import { expect, test } from 'vitest';
import { lastModifiedOf } from '../../../api/reference/last-modified.js';

const rowOf = (time: string): Buffer => Buffer.from(`{"id":"1","updated_at":"${time}"}`);

test('the time at the end of a row is formatted as an HTTP date, for any number of days', () => {
  const first = Date.UTC(1999, 11, 30, 23, 59, 59, 999);
  for (let day = 0; day < 3_000; day += 1) {
    const time = new Date(first + day * 86_400_000);
    expect(lastModifiedOf(rowOf(time.toISOString()))).toBe(time.toUTCString());
  }
  expect(lastModifiedOf(rowOf('2026-11-22T09:30:12.114Z'))).toBe('Sun, 22 Nov 2026 09:30:12 GMT');
});
