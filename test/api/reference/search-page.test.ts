import { expect, test } from 'vitest';
import { toCounted, toSize } from '../../../api/reference/search-page.js';

test('a page has 50 rows unless a size is sent, and 500 at most', () => {
  expect([undefined, '1', '500', '501', '90000'].map(toSize)).toEqual([50, 1, 500, 500, 500]);
});

test.each(['0', '-1', 'x', '1.5', ''])('the size %j is refused', (text) => {
  expect(() => toSize(text)).toThrow(expect.objectContaining({ code: 'page.size' }));
});

test('rows are counted unless the count is "none"', () => {
  expect([undefined, 'exact', 'none'].map(toCounted)).toEqual([true, true, false]);
  expect(() => toCounted('some')).toThrow(expect.objectContaining({ code: 'parameter.invalid' }));
});
