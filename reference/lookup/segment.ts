import type { SparseTable } from './sparse-table.js';
import { buildSparseTable, sparseTableBytes } from './sparse-table.js';
import type { Trie } from './trie.js';
import { buildTrie } from './trie.js';
import type { ListRange } from './k-way-merge.js';
import type { Vocabulary, WordRange } from './vocabulary.js';
import { vocabularySize, wordAt } from './vocabulary.js';

/**
 * An immutable index of some rows. Documents are numbered by rank, the order inside every bucket: higher weight,
 * shorter name, name, id. Each has one section of words per name field and a last one for all aliases.
 */
export interface SegmentData {
  nameFields: number;
  vocabulary: Vocabulary;
  rows: Uint32Array;
  ids: BigInt64Array;
  weights: Float64Array;
  /**
   * Section s of document d starts in `words` at `sections[d * (nameFields + 1) + s]`; closed by the length of `words`.
   */
  sections: Uint32Array;
  words: Uint32Array;
  /** All names that have words, sorted by their words: document times `nameFields`, plus field. */
  nameOrder: Uint32Array;
}

/** The documents of each word: those of word n are from `starts[n]` to `starts[n + 1]` of the list, by rank. */
export interface Postings {
  starts: Uint32Array;
  list: SparseTable;
}

export interface Segment extends SegmentData {
  trie: Trie;
  sortedNames: SparseTable;
  names: Postings;
  aliases: Postings;
  /** Scratch for a query: one byte per document, all 0 between queries. */
  marks: Uint8Array;
}

/** Derives the rest of a segment from its data, in steps. */
export function* completeSegment(data: SegmentData): Generator<void, Segment> {
  const { nameFields, vocabulary } = data;
  const trie = buildTrie(vocabulary);
  yield;
  const sortedNames = buildSparseTable(data.nameOrder);
  yield;
  const names = yield* postingsOf(data, 0, nameFields);
  const aliases = yield* postingsOf(data, nameFields, nameFields + 1);
  return { ...data, trie, sortedNames, names, aliases, marks: new Uint8Array(data.rows.length) };
}

const DOCUMENTS_PER_STEP = 4_096;

/** Builds the postings of the words in the sections from `first` to before `end` by counting sort. */
function* postingsOf(data: SegmentData, first: number, end: number): Generator<void, Postings> {
  const starts = new Uint32Array(vocabularySize(data.vocabulary) + 1);
  yield* visitWords(data, first, end, (word) => {
    starts[word + 1] = (starts[word + 1] ?? 0) + 1;
  });
  for (let word = 1; word < starts.length; word += 1) starts[word] = (starts[word] ?? 0) + (starts[word - 1] ?? 0);
  const documents = new Uint32Array(starts.at(-1) ?? 0);
  const next = starts.slice();
  yield* visitWords(data, first, end, (word, document) => {
    const position = next[word] ?? 0;
    documents[position] = document;
    next[word] = position + 1;
  });
  return { starts, list: buildSparseTable(documents) };
}

type VisitWord = (word: number, document: number) => void;

/** Visits every word of every document by rank; a repeated word of a document once. */
function* visitWords(data: SegmentData, first: number, end: number, visit: VisitWord): Generator<void> {
  const newest = new Int32Array(vocabularySize(data.vocabulary)).fill(-1);
  for (let document = 0; document < data.rows.length; document += 1) {
    if (document % DOCUMENTS_PER_STEP === 0) yield;
    const stop = sectionStart(data, document, end);
    for (let position = sectionStart(data, document, first); position < stop; position += 1) {
      const word = data.words[position] ?? 0;
      if (newest[word] !== document) visit(word, document);
      newest[word] = document;
    }
  }
}

/** Returns the ranges of the postings that hold the words of some ranges, without empty ones. */
export function listRangesOf(postings: readonly Postings[], ranges: readonly WordRange[]): ListRange[] {
  const stretches: ListRange[] = [];
  for (const { starts, list } of postings) {
    for (const range of ranges) {
      const [low, high] = [starts[range.low] ?? 0, starts[range.high] ?? 0];
      if (low < high) stretches.push({ list, low, high });
    }
  }
  return stretches;
}

export function sectionStart({ sections, nameFields }: SegmentData, document: number, section: number): number {
  return sections[document * (nameFields + 1) + section] ?? 0;
}

/** Returns the normalized name that ranks a document: its first name field, the words joined by single spaces. */
function nameOf(segment: SegmentData, document: number): string {
  const words: string[] = [];
  const end = sectionStart(segment, document, 1);
  for (let position = sectionStart(segment, document, 0); position < end; position += 1) {
    words.push(wordAt(segment.vocabulary, segment.words[position] ?? 0));
  }
  return words.join(' ');
}

/** Compares by rank across segments: a total order, because ids differ. */
export function compareRanks(one: SegmentData, document: number, other: SegmentData, otherDocument: number): number {
  if (one === other) return document - otherDocument;
  const [weight, otherWeight] = [one.weights[document] ?? 0, other.weights[otherDocument] ?? 0];
  if (weight !== otherWeight) return weight > otherWeight ? -1 : 1;
  const [name, otherName] = [nameOf(one, document), nameOf(other, otherDocument)];
  if (name.length !== otherName.length) return name.length - otherName.length;
  if (name !== otherName) return name < otherName ? -1 : 1;
  return compareIds(one, document, other, otherDocument);
}

/** Compares the last tie-breaks; at most one state of an entity is found, so the order of its rows does not matter. */
export function compareIds(one: SegmentData, document: number, other: SegmentData, otherDocument: number): number {
  const [id, otherId] = [one.ids[document] ?? 0n, other.ids[otherDocument] ?? 0n];
  if (id !== otherId) return id < otherId ? -1 : 1;
  return (one.rows[document] ?? 0) - (other.rows[otherDocument] ?? 0);
}

export function segmentBytes({ vocabulary, trie, sortedNames, names, aliases, ...data }: Segment): number {
  const arrays = [
    vocabulary.units,
    vocabulary.starts,
    ...[trie.labels, trie.children, trie.firstWords, trie.endWords],
    ...[data.rows, data.ids, data.weights, data.sections, data.words],
    ...[names.starts, aliases.starts, data.marks],
  ];
  const lists = [sortedNames, names.list, aliases.list];
  return (
    arrays.reduce((sum, { byteLength }) => sum + byteLength, 0) +
    lists.reduce((sum, list) => sum + sparseTableBytes(list), 0)
  );
}
