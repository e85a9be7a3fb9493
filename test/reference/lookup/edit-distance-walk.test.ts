import { expect, test } from 'vitest';
import { wordsWithTypos } from '../../../reference/lookup/edit-distance-walk.js';
import { SimilarWords } from '../../../reference/lookup/similar-words.js';
import { editBudget } from '../../../reference/lookup/typos.js';
import { vocabularySize, type WordRange, wordAt } from '../../../reference/lookup/vocabulary.js';
import { editDistance } from './edit-distance.js';
import { createTexts, documentsOf, segmentOf } from './small-segment.js';
import { worldOf } from './world.js';

interface Asked {
  typed: string;
  whole: boolean;
  typos: number;
}

/** Whether a word, or one of its beginnings, is near enough. */
function isNear(word: string, { typed, whole, typos }: Asked): boolean {
  const budget = editBudget(typed.length, word[0] === typed[0], typos);
  const compared = whole ? [word] : Array.from(word, (_, at) => word.slice(0, at + 1));
  return budget > 0 && compared.some((text) => editDistance(typed, text) <= budget);
}

/** A segment whose vocabulary is these words. */
const segmentWith = (words: readonly string[]) => segmentOf(documentsOf(worldOf(words.map((name) => ({ name })))));

const numbersIn = (ranges: readonly WordRange[]): number[] =>
  ranges.flatMap(({ low, high }) => Array.from({ length: high - low }, (_, at) => low + at));

test.each([51, 52, 53])('a walk finds the words that are near enough, and no others: seed %i', (seed) => {
  const { word } = createTexts(seed);
  const segment = segmentWith(Array.from({ length: 150 }, () => word(9)));
  const words = Array.from({ length: vocabularySize(segment.vocabulary) }, (_, at) => wordAt(segment.vocabulary, at));
  let found = 0;
  for (let round = 0; round < 20; round += 1) {
    for (const asked of [true, false].flatMap((whole) => [1, 2].map((typos) => ({ typed: word(9), whole, typos })))) {
      const expected = words.flatMap((each, at) => (isNear(each, asked) ? [at] : []));
      const ranges = wordsWithTypos(segment.trie, segment.vocabulary, asked);
      expect({ asked, words: numbersIn(ranges) }).toEqual({ asked, words: expected });
      found += expected.length;
    }
  }
  expect(found).toBeGreaterThan(60);
});

test('ranges are disjoint, in rising order, and adjacent ones are one', () => {
  const { word } = createTexts(54);
  const segment = segmentWith(Array.from({ length: 200 }, () => word(8)));
  for (let round = 0; round < 100; round += 1) {
    const ranges = wordsWithTypos(segment.trie, segment.vocabulary, { typed: word(8), whole: false, typos: 2 });
    for (const [at, { low, high }] of ranges.entries()) {
      expect(low).toBeLessThan(high);
      expect(low).toBeGreaterThan(ranges[at - 1]?.high ?? -1);
    }
  }
});

test('a single word is judged the same before a walk and after it', () => {
  const { word } = createTexts(55);
  const segment = segmentWith(Array.from({ length: 100 }, () => word(8)));
  const size = vocabularySize(segment.vocabulary);
  for (let round = 0; round < 25; round += 1) {
    for (const whole of [true, false]) {
      const similar = new SimilarWords(segment, { typed: word(8), whole, typos: 1 + (round % 2) });
      const holding = () => Array.from({ length: size }, (_, at) => at).filter((at) => similar.holds(at));
      const before = holding();
      expect(holding()).toEqual(before);
      expect(numbersIn(similar.ranges())).toEqual(before);
      expect(holding()).toEqual(before);
    }
  }
});

test('a walk is made once', () => {
  const similar = new SimilarWords(segmentWith(['berlin', 'bern']), { typed: 'berlim', whole: false, typos: 1 });
  expect(similar.ranges()).toBe(similar.ranges());
});

test('letters beyond ASCII are letters as all others', () => {
  const segment = segmentWith(['москва', '東京都庁']);
  const near = (typed: string) =>
    numbersIn(wordsWithTypos(segment.trie, segment.vocabulary, { typed, whole: true, typos: 1 })).map((word) =>
      wordAt(segment.vocabulary, word),
    );
  expect(near('моксва')).toEqual(['москва']);
  expect(near('東京庁都')).toEqual(['東京都庁']);
});
