import { expect, test } from 'vitest';
import type { Document } from '../../../reference/lookup/document.js';
import {
  compareRanks,
  listRangesOf,
  type Segment,
  sectionStart,
  segmentBytes,
} from '../../../reference/lookup/segment.js';
import { buildSegment } from '../../../reference/lookup/segment-builder.js';
import { mergeSegments } from '../../../reference/lookup/segment-merge.js';
import { finish } from '../../../reference/lookup/steps.js';
import { vocabularySize, wordAt } from '../../../reference/lookup/vocabulary.js';
import { createTexts, documentsOf, segmentOf } from './small-segment.js';
import { worldOf } from './world.js';

/** The words of a section of a document, read back from the arrays of a segment. */
function wordsOf(segment: Segment, document: number, section: number): string[] {
  const [start, end] = [sectionStart(segment, document, section), sectionStart(segment, document, section + 1)];
  return [...segment.words.subarray(start, end)].map((word) => wordAt(segment.vocabulary, word));
}

/** The order of ranks as the product describes it: weight, shorter name, name, id. */
function byRank(one: Document, other: Document): number {
  if (one.weight !== other.weight) return other.weight - one.weight;
  if (one.name.length !== other.name.length) return one.name.length - other.name.length;
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

test.each([91, 92, 93])('a segment holds its documents by rank, with all their words: seed %i', (seed) => {
  const documents = documentsOf(createTexts(seed).rows(60));
  const segment = segmentOf(documents);
  const ranked = documents.toSorted(byRank);
  expect([...segment.rows]).toEqual(ranked.map(({ row }) => row));
  expect([...segment.ids]).toEqual(ranked.map(({ id }) => id));
  expect([...segment.weights]).toEqual(ranked.map(({ weight }) => weight));
  for (const [document, { sections }] of ranked.entries()) {
    expect([0, 1, 2].map((section) => wordsOf(segment, document, section))).toEqual(sections);
  }
});

test('each word has the documents whose names, and those whose aliases, hold it, by rank and once', () => {
  const documents = documentsOf(createTexts(94).rows(80));
  const segment = segmentOf(documents);
  const ranked = documents.toSorted(byRank);
  const holding = (word: string, from: number, to: number) =>
    ranked.flatMap(({ sections }, at) => (sections.slice(from, to).flat().includes(word) ? [at] : []));
  for (let word = 0; word < vocabularySize(segment.vocabulary); word += 1) {
    const text = wordAt(segment.vocabulary, word);
    const postings = ({ starts, list }: Segment['names']) => [...list.values.subarray(starts[word], starts[word + 1])];
    expect([text, postings(segment.names)]).toEqual([text, holding(text, 0, 2)]);
    expect([text, postings(segment.aliases)]).toEqual([text, holding(text, 2, 3)]);
  }
});

test('names are sorted by their words, names without words left out', () => {
  const documents = documentsOf(createTexts(95).rows(60));
  const segment = segmentOf(documents);
  const entries = [...segment.nameOrder].map((entry) => wordsOf(segment, Math.floor(entry / 2), entry % 2).join(' '));
  expect(entries).toEqual(
    documents
      .flatMap(({ sections }) => sections.slice(0, 2).map((words) => words.join(' ')))
      .filter((name) => name !== '')
      .sort(),
  );
});

test('documents of two segments compare as in one segment of all', () => {
  const documents = documentsOf(createTexts(96).rows(40));
  const segments = [documents.slice(0, 15), documents.slice(15)].map(segmentOf);
  const places = segments.flatMap((segment) => [...segment.rows.keys()].map((document) => ({ segment, document })));
  places.sort((one, other) => compareRanks(one.segment, one.document, other.segment, other.document));
  expect(places.map(({ segment, document }) => segment.rows[document])).toEqual([...segmentOf(documents).rows]);
});

test.each([1, 2, 3, 7])('%i merged segments are the segment of the rows that are live in them', (count) => {
  const { rows, below } = createTexts(97 + count);
  const documents = documentsOf(rows(70));
  const homes = documents.map(() => below(count));
  const gone = new Set(documents.filter(() => below(4) === 0).map(({ row }) => row));
  const sources = Array.from({ length: count }, (_, at) => ({
    segment: segmentOf(documents.filter((__, index) => homes[index] === at)),
    isLive: (row: number) => !gone.has(row),
  }));
  const merged = finish(mergeSegments(sources, 2));
  const rebuilt = buildSegment(
    documents.filter(({ row }) => !gone.has(row)),
    2,
  );
  expect(merged).toEqual(rebuilt);
});

test('an older state of a row is left behind when its newer one is in a later segment', () => {
  const [old, young] = [worldOf([{ name: 'Old Name' }, { name: 'Other' }]), worldOf([{ name: 'Young Name' }])];
  const sources = [
    { segment: segmentOf(documentsOf(old)), isLive: (row: number) => row === 1 },
    { segment: segmentOf(documentsOf(young)), isLive: () => true },
  ];
  const merged = finish(mergeSegments(sources, 2));
  const words = Array.from({ length: vocabularySize(merged.vocabulary) }, (_, word) => wordAt(merged.vocabulary, word));
  expect(words).toEqual(['name', 'other', 'young']);
});

test('a merge of nothing, or of rows that are all gone, is empty', () => {
  const segment = segmentOf(documentsOf(createTexts(1).rows(9)));
  expect(finish(mergeSegments([], 2))).toEqual(buildSegment([], 2));
  expect(finish(mergeSegments([{ segment, isLive: () => false }], 2))).toEqual(buildSegment([], 2));
});

test('a merge yields between steps of a bounded size', () => {
  const documents = documentsOf(
    worldOf(Array.from({ length: 5_000 }, (_, at) => ({ name: `t${at % 50}`, weight: at }))),
  );
  const sources = [documents.slice(0, 2_000), documents.slice(2_000)].map((part) => ({
    segment: segmentOf(part),
    isLive: () => true,
  }));
  const steps = mergeSegments(sources, 2);
  let count = 0;
  while (!steps.next().done) count += 1;
  expect(count).toBeGreaterThan(10);
});

test('ranges of postings leave out words that no document has there', () => {
  const segment = segmentOf(documentsOf(worldOf([{ name: 'aa', country: 'bb' }, { name: 'aa' }])));
  const [aa, bb] = [
    { low: 0, high: 1 },
    { low: 1, high: 2 },
  ];
  const sizes = (ranges: (typeof aa)[]) =>
    listRangesOf([segment.names, segment.aliases], ranges).map(({ low, high }) => high - low);
  expect([sizes([aa]), sizes([bb]), sizes([aa, bb]), sizes([])]).toEqual([[2], [1], [2, 1], []]);
});

test('memory grows with the documents', () => {
  const bytes = (count: number) => segmentBytes(segmentOf(documentsOf(createTexts(3).rows(count))));
  expect(bytes(100)).toBeGreaterThan(bytes(10));
  expect(bytes(0)).toBeLessThan(200);
});
