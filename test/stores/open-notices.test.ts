import { expect, test } from '@jest/globals';
import { type OpenNotice, readOpen, writeOpen } from '../../stores/open-notices.js';

test('neighbors of one block are one run, and what is held stands apart', () => {
  const open: OpenNotice[] = [
    ...[5, 6, 7, 9].map((sequence) => ({ sequence, block: 2 })),
    ...[10, 11].map((sequence) => ({ sequence, block: 3 })),
    { sequence: 12, block: 3, held: true },
  ];
  expect(writeOpen(open)).toBe('2:5-7 2:9 3:10-11 3:12!');
  expect(readOpen(writeOpen(open))).toEqual(open);
});

test('none is an empty text', () => {
  expect(readOpen(writeOpen([]))).toEqual([]);
});
