import type { Vocabulary, WordRange } from './vocabulary.js';
import { vocabularySize } from './vocabulary.js';

/**
 * The trie of a vocabulary, level by level: node 0 is the root, and the children of a node are adjacent, sorted by
 * label, from `children[node]` to before `children[node + 1]`. So visiting the children of a node touches little
 * memory.
 */
export interface Trie {
  /** The letter of the edge to a node. */
  labels: Uint16Array;
  children: Uint32Array;
  /** The words with the prefix of a node: from `firstWords[node]` to before `endWords[node]`. */
  firstWords: Uint32Array;
  endWords: Uint32Array;
}

export function buildTrie(vocabulary: Vocabulary): Trie {
  const { units, starts } = vocabulary;
  const words = vocabularySize(vocabulary);
  const shared = new Uint32Array(words); // common prefix with the previous word
  let size = 1;
  let longest = 0;
  for (let word = 0; word < words; word += 1) {
    if (word > 0) shared[word] = sharedLetters(vocabulary, word);
    const length = lengthOf(vocabulary, word);
    size += length - (shared[word] ?? 0);
    longest = Math.max(longest, length);
  }

  const labels = new Uint16Array(size);
  const children = new Uint32Array(size + 1);
  const firstWords = new Uint32Array(size);
  const endWords = new Uint32Array(size);
  endWords[0] = words;
  const nodeOf = new Uint32Array(words); // the node of each word at the previous level
  let nodes = 1;
  for (let level = 0; level < longest; level += 1) {
    for (let word = 0; word < words; word += 1) {
      if (lengthOf(vocabulary, word) <= level) continue;
      if ((shared[word] ?? 0) <= level) {
        const parent = nodeOf[word] ?? 0;
        children[parent + 1] = (children[parent + 1] ?? 0) + 1;
        labels[nodes] = units[(starts[word] ?? 0) + level] ?? 0;
        firstWords[nodes] = word;
        nodes += 1;
      }
      nodeOf[word] = nodes - 1;
      endWords[nodes - 1] = word + 1;
    }
  }
  // Counts become positions: children follow in the order of their parents.
  children[0] = 1;
  for (let node = 1; node <= size; node += 1) children[node] = (children[node] ?? 0) + (children[node - 1] ?? 0);
  return { labels, children, firstWords, endWords };
}

/** Returns the child of a node with that label; 0, which is no child of any node, when there is none. */
export function childOf({ labels, children }: Trie, node: number, label: number): number {
  let low = children[node] ?? 0;
  let high = children[node + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = labels[middle] ?? 0;
    if (found === label) return middle;
    if (found < label) low = middle + 1;
    else high = middle;
  }
  return 0;
}

export function wordsBelow({ firstWords, endWords }: Trie, node: number): WordRange {
  return { low: firstWords[node] ?? 0, high: endWords[node] ?? 0 };
}

function lengthOf({ starts }: Vocabulary, word: number): number {
  return (starts[word + 1] ?? 0) - (starts[word] ?? 0);
}

function sharedLetters(vocabulary: Vocabulary, word: number): number {
  const { units, starts } = vocabulary;
  const most = Math.min(lengthOf(vocabulary, word), lengthOf(vocabulary, word - 1));
  const [start, previous] = [starts[word] ?? 0, starts[word - 1] ?? 0];
  let shared = 0;
  while (shared < most && units[start + shared] === units[previous + shared]) shared += 1;
  return shared;
}
