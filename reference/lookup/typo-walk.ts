import { DistanceBand } from './distance-band.js';
import type { Trie } from './trie.js';
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
export function wordsWithTypos(trie: Trie, vocabulary: Vocabulary, { typed, whole, typos }: TypoWalk): WordRange[] {
  const found: WordRange[] = [];
  const most = editBudget(typed.length, true, typos);
  if (most <= 0) return found;
  const { labels, children, firstWords, endWords } = trie;
  const table = new DistanceBand(typed, most);
  const next = [children[0] ?? 0]; // per depth: the node to look at next, and the end of its siblings
  const ends = [children[1] ?? 0];
  let budget = 0;
  for (let depth = 0; depth >= 0;) {
    const node = next[depth] ?? 0;
    if (node >= (ends[depth] ?? 0)) {
      depth -= 1;
      continue;
    }
    next[depth] = node + 1;
    const label = labels[node] ?? 0;
    if (depth === 0) budget = editBudget(typed.length, label === typed.charCodeAt(0), typos);
    if (budget <= 0 || !table.mayFollow(depth, label) || !table.fill(depth + 1, label, budget)) continue;
    if (table.distance(depth + 1) <= budget) {
      const first = firstWords[node] ?? 0;
      if (!whole) {
        add(found, first, endWords[node] ?? 0);
        continue;
      }
      if (isWord(vocabulary, first, depth + 1)) add(found, first, first + 1);
    }
    depth += 1;
    next[depth] = children[node] ?? 0;
    ends[depth] = children[node + 1] ?? 0;
  }
  return found;
}

function add(found: WordRange[], low: number, high: number): void {
  const newest = found.at(-1);
  if (newest?.high === low) newest.high = high;
  else found.push({ low, high });
}
