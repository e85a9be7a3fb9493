import { childOf, type Trie } from './trie.js';
import { TypedWord } from './typed-word.js';
import { editBudget } from './typos.js';
import type { Vocabulary, WordRange } from './vocabulary.js';
import { isWord } from './vocabulary.js';

export interface TypoWalk {
  typed: string;
  /** Compare with whole words, not with their beginnings. */
  whole: boolean;
  /** Typos to spend: 1 or 2. */
  typos: number;
}

/**
 * The words that differ from `typed` by at most so many typos, as disjoint ranges in rising order. Goes down the trie
 * and leaves out all that lies below a node from which the budget cannot be kept. Without `whole`, a node within the
 * budget stands for all the words below it.
 */
export function wordsWithTypos(trie: Trie, vocabulary: Vocabulary, walk: TypoWalk): WordRange[] {
  const walker = new Walker(trie, vocabulary, walk);
  walker.walk(walk);
  return joined(walker.found);
}

class Walker {
  readonly found: WordRange[] = [];
  private readonly trie: Trie;
  private readonly vocabulary: Vocabulary;
  private readonly word: TypedWord;
  private readonly whole: boolean;
  private budget = 0;

  constructor(trie: Trie, vocabulary: Vocabulary, { typed, whole }: TypoWalk) {
    this.trie = trie;
    this.vocabulary = vocabulary;
    this.word = new TypedWord(typed);
    this.whole = whole;
  }

  walk({ typed, typos }: TypoWalk): void {
    const { children, labels } = this.trie;
    const end = children[1] ?? 0;
    for (let node = children[0] ?? 0; node < end; node += 1) {
      this.budget = editBudget(typed.length, labels[node] === typed.charCodeAt(0), typos);
      if (this.budget > 0) this.enter(node, 1, this.word.start(this.budget));
    }
  }

  /** The node is so deep; the state is that of the node above it. */
  private enter(node: number, depth: number, above: number): void {
    const { word, whole, budget, trie } = this;
    const state = word.follow(above, depth - 1, trie.labels[node] ?? 0, budget);
    if (state === 0) return;
    if (word.edits(state, depth) <= budget) {
      const low = trie.firstWords[node] ?? 0;
      if (!whole) {
        this.found.push({ low, high: trie.endWords[node] ?? 0 });
        return;
      }
      if (isWord(this.vocabulary, low, depth)) this.found.push({ low, high: low + 1 });
    }
    if (word.canEdit(state, budget)) this.enterAll(node, depth, state);
    else this.enterTyped(node, depth, state);
  }

  private enterAll(node: number, depth: number, state: number): void {
    const { children } = this.trie;
    const end = children[node + 1] ?? 0;
    for (let child = children[node] ?? 0; child < end; child += 1) this.enter(child, depth + 1, state);
  }

  private enterTyped(node: number, depth: number, state: number): void {
    const { word, trie } = this;
    for (let places = word.placesAfter(state, this.budget); places !== 0;) {
      const letter = word.letterOf(places, depth);
      places &= ~word.same(depth, letter);
      const child = childOf(trie, node, letter);
      if (child !== 0) this.enter(child, depth + 1, state);
    }
  }
}

/** In rising order, and those that touch as one. */
function joined(ranges: WordRange[]): WordRange[] {
  const all: WordRange[] = [];
  for (const { low, high } of ranges.sort((one, other) => one.low - other.low)) {
    const newest = all.at(-1);
    if (newest?.high === low) newest.high = high;
    else all.push({ low, high });
  }
  return all;
}
