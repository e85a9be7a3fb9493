import { expect, test } from 'vitest';
import { addFindings, createFindings, hasCall, sortFindings } from '../../../lifecycle/stores/findings.js';
import type { IndexRow } from '../../../lifecycle/stores/index-file.js';

const feedback = (part: string): IndexRow => ({
  ...{ kind: 'feedback', model: 'wine', version: '1', key: `feedback/${part}`, records: 1, part },
});
const call: IndexRow = {
  ...{
    kind: 'call',
    model: 'wine',
    version: '1',
    deployment: 'wine',
    generation: 1,
    key: 'call/a',
    records: 1,
    part: 'a',
  },
};

test('every id that was asked for is there once, with its findings in the order of time', () => {
  const found = createFindings(['r1', 'r2', 'r1']);
  const entries = [
    { id: 'r1', at: 20, row: 1 },
    { id: 'r1', at: 10, row: 0 },
  ];
  addFindings(found, entries, [feedback('a'), feedback('b')]);
  expect([...sortFindings(found)]).toEqual([
    [
      'r1',
      [
        { at: 10, row: feedback('a') },
        { at: 20, row: feedback('b') },
      ],
    ],
    ['r2', []],
  ]);
});

test('the same part in two files counts once; another time or another part is another finding', () => {
  const found = createFindings(['r1']);
  for (const rows of [[feedback('a')], [feedback('a')], [feedback('b')]]) {
    addFindings(found, [{ id: 'r1', at: 10, row: 0 }], rows);
  }
  addFindings(found, [{ id: 'r1', at: 11, row: 0 }], [feedback('a')]);
  expect(found.get('r1')?.map(({ at, row }) => `${row.part}${at}`)).toEqual(['a10', 'b10', 'a11']);
});

test('an entry without its row is no finding', () => {
  const found = createFindings(['r1']);
  addFindings(found, [{ id: 'r1', at: 10, row: 7 }], [feedback('a')]);
  expect(found.get('r1')).toEqual([]);
});

test('only a call counts as a call', () => {
  expect(hasCall([{ at: 1, row: feedback('a') }])).toBe(false);
  expect(
    hasCall([
      { at: 1, row: feedback('a') },
      { at: 2, row: call },
    ]),
  ).toBe(true);
  expect(hasCall(undefined)).toBe(false);
});
