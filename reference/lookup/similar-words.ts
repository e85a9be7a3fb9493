import type { Segment } from './segment.js';
import { EditAutomaton } from './edit-automaton.js';
import type { EditDistanceQuery } from './edit-distance-walk.js';
import { wordsWithTypos } from './edit-distance-walk.js';
import { editBudget } from './typos.js';
import type { WordRange } from './vocabulary.js';

/** The words within an edit distance of a typed word. */
export class SimilarWords {
  private readonly segment: Segment;
  private readonly asked: EditDistanceQuery;
  private readonly typed: EditAutomaton;
  private readonly compared = new Map<number, boolean>();
  private walked: readonly WordRange[] | undefined;

  constructor(segment: Segment, asked: EditDistanceQuery) {
    this.segment = segment;
    this.asked = asked;
    this.typed = new EditAutomaton(asked.typed);
  }

  /** Returns all of them, as disjoint ranges in rising order: a trie walk, made once. */
  ranges(): readonly WordRange[] {
    const { trie, vocabulary } = this.segment;
    return (this.walked ??= wordsWithTypos(trie, vocabulary, this.asked));
  }

  /** Whether one word is among them: compared directly, as long as no walk was made. */
  holds(word: number): boolean {
    if (this.walked) return isAmong(this.walked, word);
    let known = this.compared.get(word);
    if (known === undefined) this.compared.set(word, (known = this.compare(word)));
    return known;
  }

  private compare(word: number): boolean {
    const { typed } = this;
    const { typed: text, typos, whole } = this.asked;
    const { units, starts } = this.segment.vocabulary;
    const start = starts[word] ?? 0;
    const length = (starts[word + 1] ?? 0) - start;
    const budget = editBudget(text.length, units[start] === text.charCodeAt(0), typos);
    if (budget <= 0) return false;
    let state = typed.start(budget);
    for (let at = 0; at < length; at += 1) {
      state = typed.follow(state, at, units[start + at] ?? 0, budget);
      if (state === 0) return false;
      if ((at + 1 === length || !whole) && typed.edits(state, at + 1) <= budget) return true;
    }
    return false;
  }
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
