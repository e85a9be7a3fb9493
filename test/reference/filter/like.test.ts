import { expect, test } from '@jest/globals';
import { createTextDictionary } from '../../../reference/columns/text-dictionary.js';
import { compileLike } from '../../../reference/filter/like-matcher.js';

function matches(pattern: string, text: string): boolean {
  const texts = createTextDictionary();
  ['before', text, 'behind'].forEach((each) => texts.intern(each));
  return compileLike(pattern, texts.bytes())(texts.find(text));
}

// prettier-ignore
test.each([
  ['', '', true], ['', 'a', false], ['*', '', true], ['*', 'a\nb', true], ['?', '', false], ['?', 'a', true], ['?', 'ab', false],
  ['?', 'é', true], ['?', '😀', true], ['??', 'é', false], ['a?', 'a東', true], ['?*', '', false], ['??*', '😀', false], ['??*', '😀😀', true],
  ['Spring*', 'Springfield', true], ['Spring*', 'spring', false], ['*field', 'Springfield', true], ['*ring*', 'Springfield', true],
  ['S*d', 'Springfield', true], ['S*d', 'Springfields', false], ['a*a', 'a', false], ['a*a', 'aa', true], ['*a*b*', 'xbxa', false],
  ['*aab', 'aaab', true], ['*aab*', 'aaaab', true], ['*abab*', 'abacabab', true], ['*a?c*', 'abbacc', true], ['*a?c', 'axcaxd', false],
  ['*?', 'é', true], ['*é?', 'aéé', true], ['a\\*b', 'a*b', true], ['a\\*b', 'axb', false], ['\\?', '?', true], ['\\?', 'a', false],
  ['\\\\*', '\\x', true], ['.*', '.x', true], ['.*', 'x', false], ['^a$', 'a', false], ['*ab*ab*', 'ab', false], ['*ab*ab', 'abxab', true],
  ['ab*bc', 'abc', false], ['ab*bc', 'abbc', true],
])('%j holds for %j: %p', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test('what would drive a matcher with backtracking out of time is answered', () => {
  const text = 'a'.repeat(10_000);
  expect(matches(`${'*a'.repeat(4_000)}*b`, text)).toBe(false);
  expect(matches(`${'a*'.repeat(4_000)}`, text)).toBe(true);
  expect(matches(`*${'a'.repeat(5_000)}b*`, text)).toBe(false);
  expect(matches(`${'?'.repeat(8_000)}*b`, text)).toBe(false);
  expect(matches('*a?'.repeat(2_000), text)).toBe(true);
});
