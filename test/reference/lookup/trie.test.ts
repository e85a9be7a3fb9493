import { expect, test } from 'vitest';
import { childOf, buildTrie, wordsBelow } from '../../../reference/lookup/trie.js';
import {
  compareWords,
  isWord,
  partition,
  vocabularyOf,
  vocabularySize,
  wordAt,
} from '../../../reference/lookup/vocabulary.js';
import { createTexts } from './small-segment.js';

/** Distinct words in order. */
function wordsOf(seed: number, count: number): string[] {
  const { word } = createTexts(seed);
  return [...new Set(Array.from({ length: count }, () => word(7)))].sort();
}

/** Walks along the letters of a text; 0 where no word begins with it. */
function descend(trie: ReturnType<typeof buildTrie>, text: string): number {
  let node = 0;
  for (let at = 0; at < text.length; at += 1) {
    node = childOf(trie, node, text.charCodeAt(at));
    if (node === 0) return 0;
  }
  return node;
}

test.each([1, 2, 3, 4])('each prefix of a vocabulary leads to the words that begin with it: seed %i', (seed) => {
  const words = wordsOf(seed, 80);
  const trie = buildTrie(vocabularyOf(words));
  const prefixes = new Set(words.flatMap((word) => Array.from(word, (_, at) => word.slice(0, at + 1))));
  for (const prefix of prefixes) {
    const { low, high } = wordsBelow(trie, descend(trie, prefix));
    expect([prefix, words.slice(low, high)]).toEqual([prefix, words.filter((word) => word.startsWith(prefix))]);
  }
  expect(trie.labels).toHaveLength(prefixes.size + 1); // a node for each prefix, and the root
});

test('a text that begins no word has no node, also where its first letters have one', () => {
  const trie = buildTrie(vocabularyOf(['aa', 'ab', 'abc', 'd']));
  for (const text of ['b', 'ac', 'abd', 'abcd', 'da', '\uffff']) expect([text, descend(trie, text)]).toEqual([text, 0]);
  expect(descend(trie, 'abc')).not.toBe(0);
});

test('the children of a node are sorted by label and adjacent', () => {
  const trie = buildTrie(vocabularyOf(wordsOf(9, 120)));
  for (let node = 0; node < trie.labels.length; node += 1) {
    const labels = [...trie.labels.subarray(trie.children[node], trie.children[node + 1])];
    expect(labels).toEqual([...new Set(labels)].sort((one, other) => one - other));
  }
});

test('an empty vocabulary is a trie of the root alone', () => {
  const trie = buildTrie(vocabularyOf([]));
  expect(wordsBelow(trie, 0)).toEqual({ low: 0, high: 0 });
  expect(childOf(trie, 0, 97)).toBe(0);
});

test('a vocabulary gives its words back, surrogate pairs and single letters among them', () => {
  const words = ['a', 'ab', 'b', 'é', '東京', '\ud800', '😀'].sort();
  const vocabulary = vocabularyOf(words);
  expect(vocabularySize(vocabulary)).toBe(words.length);
  expect(words.map((_, at) => wordAt(vocabulary, at))).toEqual(words);
  expect(words.map((word, at) => isWord(vocabulary, at, word.length))).toEqual(words.map(() => true));
  expect(isWord(vocabulary, 1, 1)).toBe(false); // "ab" does not end after one letter
});

test('words of two vocabularies compare as their texts do', () => {
  const [one, other] = [wordsOf(21, 40), wordsOf(22, 40)];
  const [left, right] = [vocabularyOf(one), vocabularyOf(other)];
  for (const [at, word] of one.entries()) {
    for (const [index, against] of other.entries()) {
      const expected = word < against ? -1 : word > against ? 1 : 0;
      expect(Math.sign(compareWords(left, at, right, index))).toBe(expected);
    }
  }
});

test.each([
  [0, 0, 3, 0],
  [0, 10, 0, 0],
  [0, 10, 4, 4],
  [0, 10, 10, 10],
  [5, 10, 2, 5],
  [5, 10, 99, 10],
])('partition from %i to %i of the numbers before %i is %i', (low, high, bound, found) => {
  expect(partition(low, high, (at) => at < bound)).toBe(found);
});
