import { expect, test } from 'vitest';
import { findRows, parseIds } from '../../../api/reference/search-batch.js';

test('ids are read with blanks around them, in their order and as often as they are sent', () => {
  expect(parseIds('3, 1,3')).toEqual([3n, 1n, 3n]);
});

test.each(['', '1,', 'x', '1.5'])('the ids %j are refused', (text) => {
  expect(() => parseIds(text)).toThrow(expect.objectContaining({ code: 'id.malformed' }));
});

test('one request has at most 200 ids', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, n) => n + 1).join(',');
  expect(parseIds(ids(200))).toHaveLength(200);
  expect(() => parseIds(ids(201))).toThrow(expect.objectContaining({ code: 'parameter.invalid' }));
});

test('ids are sorted into found, missing and deleted rows, as of the version', () => {
  const asked: number[] = [];
  const rows = {
    findAt: (id: bigint, version: number) => {
      asked.push(version);
      return Number(id) - 2; // id 1 has no row
    },
    isDeleted: (row: number) => row === 1,
    bytes: () => Buffer.from('2026-01-01T00:00:00.000Z'),
  };
  expect(findRows(rows, [4n, 1n, 3n, 2n], { version: 7 })).toEqual({
    found: [2, 0],
    missing: ['1'],
    deleted: [{ id: '3', deleted_at: '2026-01-01T00:00:00.000Z' }],
  });
  expect(new Set(asked)).toEqual(new Set([7]));
});
