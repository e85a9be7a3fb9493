import type { Segment } from './segment.js';
import { TypedWord } from './typed-word.js';
import type { TypoWalk } from './typo-walk.js';
import { wordsWithTypos } from './typo-walk.js';
import { editBudget } from './typos.js';
import type { WordRange } from './vocabulary.js';

/** The words that resemble a typed one. */
export interface ResemblingWords {
  /** All of them, as disjoint ranges in rising order: a walk through the vocabulary, made once. */
  ranges(): readonly WordRange[];
  /** Whether one word is among them: without a walk, as long as none was made. */
  holds(word: number): boolean;
}

export function createResemblingWords({ vocabulary, trie }: Segment, walk: TypoWalk): ResemblingWords {
  let ranges: readonly WordRange[] | undefined;
  const compared = new Map<number, boolean>();
  const typed = new TypedWord(walk.typed);

  function compare(word: number): boolean {
    const { units, starts } = vocabulary;
    const start = starts[word] ?? 0;
    const length = (starts[word + 1] ?? 0) - start;
    const budget = editBudget(walk.typed.length, units[start] === walk.typed.charCodeAt(0), walk.typos);
    if (budget <= 0) return false;
    let state = typed.start(budget);
    for (let at = 0; at < length; at += 1) {
      state = typed.follow(state, at, units[start + at] ?? 0, budget);
      if (state === 0) return false;
      if ((at + 1 === length || !walk.whole) && typed.edits(state, at + 1) <= budget) return true;
    }
    return false;
  }

  return {
    ranges: () => (ranges ??= wordsWithTypos(trie, vocabulary, walk)),
    holds(word) {
      if (ranges) return isAmong(ranges, word);
      let known = compared.get(word);
      if (known === undefined) compared.set(word, (known = compare(word)));
      return known;
    },
  };
}

function isAmong(ranges: readonly WordRange[], word: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (!range || word < range.low) high = middle;
    else if (word >= range.high) low = middle + 1;
    else return true;
  }
  return false;
}
