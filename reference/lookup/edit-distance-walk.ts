import { childOf, type Trie } from './trie.js';
import { EditAutomaton } from './edit-automaton.js';
import { editBudget } from './typos.js';
import type { Vocabulary, WordRange } from './vocabulary.js';
import { isWord } from './vocabulary.js';

export interface EditDistanceQuery {
  typed: string;
  /** True to compare with whole words, false to compare with prefixes. */
  whole: boolean;
  /** Maximum number of typos: 1 or 2. */
  typos: number;
}

/**
 * Finds the words within an edit distance of `typed`, as disjoint ranges in rising order. Walks the trie with an edit
 * automaton and prunes every node from which the budget cannot be kept. Without `whole`, a node within the budget
 * contributes all words below it.
 */
export function wordsWithTypos(trie: Trie, vocabulary: Vocabulary, walk: EditDistanceQuery): WordRange[] {
  const walker = new Walker(trie, vocabulary, walk);
  walker.walk(walk);
  return mergeRanges(walker.found);
}

class Walker {
  readonly found: WordRange[] = [];
  private readonly trie: Trie;
  private readonly vocabulary: Vocabulary;
  private readonly word: EditAutomaton;
  private readonly whole: boolean;
  private budget = 0;

  constructor(trie: Trie, vocabulary: Vocabulary, { typed, whole }: EditDistanceQuery) {
    this.trie = trie;
    this.vocabulary = vocabulary;
    this.word = new EditAutomaton(typed);
    this.whole = whole;
  }

  walk({ typed, typos }: EditDistanceQuery): void {
    const { children, labels } = this.trie;
    const end = children[1] ?? 0;
    for (let node = children[0] ?? 0; node < end; node += 1) {
      this.budget = editBudget(typed.length, labels[node] === typed.charCodeAt(0), typos);
      if (this.budget > 0) this.enter(node, 1, this.word.start(this.budget));
    }
  }

  /** Visits a node at a depth, given the state of its parent. */
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
    for (let positions = word.positionsAfter(state, this.budget); positions !== 0;) {
      const letter = word.letterOf(positions, depth);
      positions &= ~word.same(depth, letter);
      const child = childOf(trie, node, letter);
      if (child !== 0) this.enter(child, depth + 1, state);
    }
  }
}

/** Sorts the ranges and merges adjacent ones. */
function mergeRanges(ranges: WordRange[]): WordRange[] {
  const all: WordRange[] = [];
  for (const { low, high } of ranges.sort((one, other) => one.low - other.low)) {
    const newest = all.at(-1);
    if (newest?.high === low) newest.high = high;
    else all.push({ low, high });
  }
  return all;
}
