import { expect, test } from 'vitest';
import { readyLimit, within } from '../../../activities/shared/ready-limit.js';

test.each([
  ['idle', 60, 0.2, 60],
  ['all cores in use', 60, 1, 60],
  ['three processes for each core', 60, 3, 180],
  ['overloaded', 60, 25, 300],
  ['overloaded, with a long limit', 600, 25, 900],
  ['overloaded, with a limit of the settings that is longer', 1_200, 25, 1_200],
])('%s: of %i s at a load of %d become %i s', (_, seconds, load, limit) => {
  expect(readyLimit(seconds, load)).toBe(limit);
});

test('a limit that grew is explained', () => {
  expect(within(60, 60)).toBe('within 60 s');
  expect(within(60, 180.2)).toBe('within 60 s (180 s, as the machine is busy)');
});
