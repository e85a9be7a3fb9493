import { expect, test } from 'vitest';
import { createTextDictionary } from '../../../reference/columns/text-dictionary.js';
import { findTextsWith } from '../../../reference/filter/literal-search.js';
import { compileLike, literalOf } from '../../../reference/filter/like-matcher.js';

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

test('the longest text of a pattern is in every match', () => {
  expect(['a*bcd?ef', 'a\\*b*c', '*?', ''].map(literalOf)).toEqual(['bcd', 'a*b', '', '']);
});

test('all texts that hold a literal are found in one walk, and none where two of them meet', () => {
  const texts = createTextDictionary();
  const all = Array.from({ length: 5_000 }, (_, at) =>
    at % 50 === 0 ? `${at}abab` : at % 7 === 0 ? `b${at}a` : `ab${at}é`,
  );
  all.forEach((text) => texts.intern(text));
  const held = (literal: string) => {
    const holders = findTextsWith(literal, texts.size(), texts.bytes());
    return holders && all.filter((_, code) => holders[code] === 1);
  };
  for (const literal of ['abab', 'a', '77a', '9é', 'bb', '1ab', 'nowhere']) {
    const expected = all.filter((text) => text.includes(literal));
    expect(held(literal)).toEqual(expected.length > 600 ? undefined : expected);
  }
});
