import { Heap } from './heap.js';
import type { SegmentData } from './segment.js';
import { compareIds, sectionStart } from './segment.js';
import type { Vocabulary } from './vocabulary.js';
import { compareWords, vocabularySize } from './vocabulary.js';

export interface MergeSource {
  segment: SegmentData;
  /** Whether the current version of a row is in this segment. */
  isLive: (row: number) => boolean;
}

/** A source during the merge. */
interface Part {
  segment: SegmentData;
  /** Maps documents to their numbers in the merged segment; `LEFT_BEHIND` for dropped ones. */
  documents: Int32Array;
  /** Maps words to their numbers there; `LEFT_BEHIND` for words that no kept document holds. */
  words: Int32Array;
}
const LEFT_BEHIND = -1;
const KEPT = 0;
const ITEMS_PER_STEP = 1_024;

/**
 * Merges the live rows of several segments into one, in steps; the caller may yield between steps. The sources are
 * sorted, so this is a k-way merge without sorting, and no step is much longer than another.
 */
export function* mergeSegments(sources: readonly MergeSource[], nameFields: number): Generator<void, SegmentData> {
  const parts: Part[] = [];
  for (const source of sources) parts.push(yield* keepLive(source));
  const vocabulary = yield* mergeVocabularies(parts);
  const documents = yield* mergeDocuments(parts, nameFields);
  const nameOrder = yield* mergeNames(parts, nameFields);
  return { nameFields, vocabulary, ...documents, nameOrder };
}

/** Marks the live documents and their words. */
function* keepLive({ segment, isLive }: MergeSource): Generator<void, Part> {
  const documents = new Int32Array(segment.rows.length).fill(LEFT_BEHIND);
  const words = new Int32Array(vocabularySize(segment.vocabulary)).fill(LEFT_BEHIND);
  for (let document = 0; document < documents.length; document += 1) {
    if (document % ITEMS_PER_STEP === 0) yield;
    if (!isLive(segment.rows[document] ?? 0)) continue;
    documents[document] = KEPT;
    const end = sectionStart(segment, document + 1, 0);
    for (let position = sectionStart(segment, document, 0); position < end; position += 1) {
      words[segment.words[position] ?? 0] = KEPT;
    }
  }
  return { segment, documents, words };
}

interface Cursor {
  part: Part;
  at: number;
}

interface Merge {
  parts: readonly Part[];
  /** Number of items of a part, and whether an item stays. */
  size: (part: Part) => number;
  stays: (part: Part, item: number) => boolean;
  compare: (one: Cursor, other: Cursor) => number;
  take: (part: Part, item: number) => void;
}

/** Merges the items of all parts in one order; each part is already sorted in it. */
function* merge({ parts, size, stays, compare, take }: Merge): Generator<void> {
  const cursors = new Heap<Cursor>(compare);
  const advance = (cursor: Cursor): boolean => {
    const end = size(cursor.part);
    do cursor.at += 1;
    while (cursor.at < end && !stays(cursor.part, cursor.at));
    return cursor.at < end;
  };
  for (const part of parts) {
    const cursor = { part, at: -1 };
    if (advance(cursor)) cursors.push(cursor);
  }
  for (let taken = 0; cursors.top; taken += 1) {
    if (taken % ITEMS_PER_STEP === 0) yield;
    const cursor = cursors.top;
    take(cursor.part, cursor.at);
    if (advance(cursor)) cursors.replaceTop(cursor);
    else cursors.pop();
  }
}

function* mergeVocabularies(parts: readonly Part[]): Generator<void, Vocabulary> {
  const units = new Uint16Array(parts.reduce((sum, { segment }) => sum + segment.vocabulary.units.length, 0));
  const starts = new Uint32Array(parts.reduce((sum, { words }) => sum + words.length, 0) + 1);
  const merged = { units, starts };
  let size = 0;
  yield* merge({
    parts,
    size: ({ words }) => words.length,
    stays: ({ words }, word) => words[word] !== LEFT_BEHIND,
    compare: (one, other) => compareWords(one.part.segment.vocabulary, one.at, other.part.segment.vocabulary, other.at),
    take: ({ segment: { vocabulary }, words }, word) => {
      if (size === 0 || compareWords(vocabulary, word, merged, size - 1) !== 0) {
        const start = starts[size] ?? 0;
        const text = vocabulary.units.subarray(vocabulary.starts[word], vocabulary.starts[word + 1]);
        units.set(text, start);
        size += 1;
        starts[size] = start + text.length;
      }
      words[word] = size - 1;
    },
  });
  return { units: units.slice(0, starts[size]), starts: starts.slice(0, size + 1) };
}

type Documents = Pick<SegmentData, 'rows' | 'ids' | 'weights' | 'sections' | 'words'>;

function* mergeDocuments(parts: readonly Part[], nameFields: number): Generator<void, Documents> {
  const { count, wordCount } = sizes(parts);
  const rows = new Uint32Array(count);
  const ids = new BigInt64Array(count);
  const weights = new Float64Array(count);
  const sections = new Uint32Array(count * (nameFields + 1) + 1);
  const words = new Uint32Array(wordCount);
  let next = 0;
  let nextWord = 0;
  yield* merge({
    parts,
    size: ({ documents }) => documents.length,
    stays: ({ documents }, document) => documents[document] !== LEFT_BEHIND,
    compare: compareDocuments,
    take: (part, document) => {
      const { segment } = part;
      rows[next] = segment.rows[document] ?? 0;
      ids[next] = segment.ids[document] ?? 0n;
      weights[next] = segment.weights[document] ?? 0;
      for (let section = 0; section <= nameFields; section += 1) {
        sections[next * (nameFields + 1) + section] = nextWord;
        const end = sectionStart(segment, document, section + 1);
        for (let position = sectionStart(segment, document, section); position < end; position += 1) {
          words[nextWord] = mergedWord(part, position);
          nextWord += 1;
        }
      }
      part.documents[document] = next;
      next += 1;
    },
  });
  sections[count * (nameFields + 1)] = nextWord;
  return { rows, ids, weights, sections, words };
}

function sizes(parts: readonly Part[]): { count: number; wordCount: number } {
  let count = 0;
  let wordCount = 0;
  for (const { segment, documents } of parts) {
    for (let document = 0; document < documents.length; document += 1) {
      if (documents[document] === LEFT_BEHIND) continue;
      count += 1;
      wordCount += sectionStart(segment, document + 1, 0) - sectionStart(segment, document, 0);
    }
  }
  return { count, wordCount };
}

function* mergeNames(parts: readonly Part[], nameFields: number): Generator<void, Uint32Array> {
  const nameOrder = new Uint32Array(parts.reduce((sum, { segment }) => sum + segment.nameOrder.length, 0));
  const entryAt = ({ segment }: Part, item: number) => segment.nameOrder[item] ?? 0;
  const documentAt = (part: Part, item: number) => Math.floor(entryAt(part, item) / nameFields);
  const mergedEntry = (part: Part, item: number) =>
    (part.documents[documentAt(part, item)] ?? 0) * nameFields + (entryAt(part, item) % nameFields);
  let next = 0;
  yield* merge({
    parts,
    size: ({ segment }) => segment.nameOrder.length,
    stays: (part, item) => part.documents[documentAt(part, item)] !== LEFT_BEHIND,
    compare: (one, other) => {
      const [document, otherDocument] = [documentAt(one.part, one.at), documentAt(other.part, other.at)];
      const [field, otherField] = [entryAt(one.part, one.at) % nameFields, entryAt(other.part, other.at) % nameFields];
      const byName = compareSections(one.part, document, field, other.part, otherDocument, otherField);
      return byName === 0 ? mergedEntry(one.part, one.at) - mergedEntry(other.part, other.at) : byName;
    },
    take: (part, item) => {
      nameOrder[next] = mergedEntry(part, item);
      next += 1;
    },
  });
  return nameOrder.slice(0, next);
}

/** Compares documents by rank (segment.ts), with merged word numbers instead of texts. */
function compareDocuments({ part: one, at: document }: Cursor, { part: other, at: otherDocument }: Cursor): number {
  const weight = one.segment.weights[document] ?? 0;
  const otherWeight = other.segment.weights[otherDocument] ?? 0;
  if (weight !== otherWeight) return weight > otherWeight ? -1 : 1;
  const byLength = nameLength(one.segment, document) - nameLength(other.segment, otherDocument);
  if (byLength !== 0) return byLength;
  const byName = compareSections(one, document, 0, other, otherDocument, 0);
  if (byName !== 0) return byName;
  return compareIds(one.segment, document, other.segment, otherDocument);
}

function nameLength(segment: SegmentData, document: number): number {
  const { starts } = segment.vocabulary;
  const [first, end] = [sectionStart(segment, document, 0), sectionStart(segment, document, 1)];
  let length = end - first;
  for (let position = first; position < end; position += 1) {
    const word = segment.words[position] ?? 0;
    length += (starts[word + 1] ?? 0) - (starts[word] ?? 0);
  }
  return length;
}

function compareSections(
  one: Part,
  document: number,
  section: number,
  other: Part,
  otherDocument: number,
  otherSection: number,
): number {
  const start = sectionStart(one.segment, document, section);
  const otherStart = sectionStart(other.segment, otherDocument, otherSection);
  const length = sectionStart(one.segment, document, section + 1) - start;
  const otherLength = sectionStart(other.segment, otherDocument, otherSection + 1) - otherStart;
  for (let position = 0; position < length && position < otherLength; position += 1) {
    const difference = mergedWord(one, start + position) - mergedWord(other, otherStart + position);
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

function mergedWord({ segment, words }: Part, position: number): number {
  return words[segment.words[position] ?? 0] ?? 0;
}
