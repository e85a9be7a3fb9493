import { expect, test } from 'vitest';
import { type OpenDelivery, readOpen, writeOpen } from '../../../notifications/stores/open-deliveries.js';

test('neighbors of one block are one run, and a held delivery is separate', () => {
  const open: OpenDelivery[] = [
    ...[5, 6, 7, 9].map((sequence) => ({ sequence, block: 2 })),
    ...[10, 11].map((sequence) => ({ sequence, block: 3 })),
    { sequence: 12, block: 3, held: true },
  ];
  expect(writeOpen(open)).toBe('2:5-7 2:9 3:10-11 3:12!');
  expect(readOpen(writeOpen(open))).toEqual(open);
});

test('what was tried before has the time of its next step, alike ones together', () => {
  const again = { due: 1_770_802_212, blocks: 1_770_798_612 };
  const open: OpenDelivery[] = [
    { sequence: 5, block: 2 },
    ...[6, 7].map((sequence) => ({ sequence, block: 2, again })),
    { sequence: 8, block: 2, again: { ...again, due: again.due + 1 } },
    { sequence: 9, block: 2, held: true },
  ];
  expect(writeOpen(open)).toBe('2:5 2:6-7@taafqc+taacyc 2:8@taafqd+taacyc 2:9!');
  expect(readOpen(writeOpen(open))).toEqual(open);
});

test('none is an empty text', () => {
  expect(readOpen(writeOpen([]))).toEqual([]);
});
