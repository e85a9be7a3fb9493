import { expect, test } from 'vitest';
import {
  endPurge,
  startPurge,
  WHOLE_OUTBOX,
  withKept,
  withoutKept,
} from '../../../notifications/stores/outbox-mark.js';

const first = { block: 3, sequence: 5 };

test('a purge moves the retained block forward and leaves its blocks to be removed', () => {
  expect(startPurge(undefined, first)).toEqual({ retained: first, removedBefore: 1, kept: [] });
  expect(endPurge(startPurge(undefined, first))).toEqual({ retained: first, removedBefore: 3, kept: [] });
});

test('an interrupted purge goes on where it stopped, whatever the next one asks for', () => {
  const interrupted = { retained: first, removedBefore: 2, kept: [4] };
  expect(startPurge(interrupted, { block: 2, sequence: 3 })).toEqual(interrupted);
  expect(startPurge(interrupted, { block: 7, sequence: 9 })).toEqual({
    retained: { block: 7, sequence: 9 },
    removedBefore: 2,
    kept: [4],
  });
});

test('a sequence is kept once and can be let go', () => {
  const mark = { _id: 'sub_1', ...WHOLE_OUTBOX };
  const kept = withKept(withKept(mark, [2, 4]), [4, 6]);
  expect(kept).toEqual({ ...mark, kept: [2, 4, 6] });
  expect(withoutKept(kept, 4)).toEqual({ ...mark, kept: [2, 6] });
  expect(withoutKept(mark, 4)).toEqual({ ...mark, kept: [] });
});
