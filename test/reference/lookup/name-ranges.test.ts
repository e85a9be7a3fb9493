import { expect, test } from 'vitest';
import { matchChain } from '../../../reference/lookup/chain-match.js';
import type { Chain } from '../../../reference/lookup/interpretation.js';
import { findNameRanges } from '../../../reference/lookup/name-ranges.js';
import { type Segment, sectionStart } from '../../../reference/lookup/segment.js';
import { SegmentWords } from '../../../reference/lookup/segment-words.js';
import { editBudget } from '../../../reference/lookup/typos.js';
import { vocabularySize, wordAt } from '../../../reference/lookup/vocabulary.js';
import { editDistance } from './edit-distance.js';
import { createTexts, documentsOf, segmentOf } from './small-segment.js';

function sectionsOf(segment: Segment, document: number): string[][] {
  return [0, 1, 2].map((section) => {
    const [start, end] = [sectionStart(segment, document, section), sectionStart(segment, document, section + 1)];
    return [...segment.words.subarray(start, end)].map((word) => wordAt(segment.vocabulary, word));
  });
}

/** All names of a segment with words, as `[entry, text]`. */
const namesOf = (segment: Segment) =>
  [...segment.rows.keys()].flatMap((document) =>
    sectionsOf(segment, document)
      .slice(0, 2)
      .flatMap((words, field) => (words.length > 0 ? [[document * 2 + field, words.join(' ')] as const] : [])),
  );

test.each([111, 112, 113])('typed words find the names that equal them, and those that go on: seed %i', (seed) => {
  const { rows, text } = createTexts(seed);
  const segment = segmentOf(documentsOf(rows(120)));
  const names = namesOf(segment);
  const typed = [...names.map(([, name]) => name), ...names.map(([, name]) => name.slice(0, -1))];
  for (const query of [...typed, ...Array.from({ length: 40 }, () => text())].map((each) => each.trim())) {
    if (query === '') continue;
    const { exact, longer } = findNameRanges(segment, new SegmentWords(segment), query.split(' '));
    const entries = ({ low, high }: typeof exact) =>
      [...segment.sortedNames.values.subarray(low, high)].sort((one, other) => one - other);
    const wanted = (fits: (name: string) => boolean) => names.flatMap(([entry, name]) => (fits(name) ? [entry] : []));
    expect([query, entries(exact)]).toEqual([query, wanted((name) => name === query)]);
    expect([query, entries(longer)]).toEqual([query, wanted((name) => name !== query && name.startsWith(query))]);
  }
});

test('the words of a segment are found by their letters', () => {
  const { rows, word } = createTexts(114);
  const segment = segmentOf(documentsOf(rows(60)));
  const all = Array.from({ length: vocabularySize(segment.vocabulary) }, (_, at) => wordAt(segment.vocabulary, at));
  const sections = [...segment.rows.keys()].map((document) => sectionsOf(segment, document));
  const groups = {
    names: sections.flatMap((each) => each.slice(0, 2).flat()),
    aliases: sections.flatMap(([, , last = []]) => last),
  };
  const words = new SegmentWords(segment);
  const within = ({ low, high }: { low: number; high: number }) => all.slice(low, high);
  for (const text of [...all, ...Array.from({ length: 60 }, () => word(6))]) {
    expect(within(words.beginning(text))).toEqual(all.filter((each) => each.startsWith(text)));
    expect(within(words.whole(text))).toEqual(all.filter((each) => each === text));
    for (const group of ['names', 'aliases'] as const) {
      const held = groups[group];
      expect([text, group, words.isBegun(text, group)]).toEqual([
        text,
        group,
        held.some((each) => each.startsWith(text)),
      ]);
      const lengths = new Set(
        held.filter((each) => text.startsWith(each) && each !== text).map(({ length }) => length),
      );
      expect(words.wholeBeginnings(text, group)).toEqual([...lengths].sort((one, other) => one - other));
    }
  }
});

test('similar words are computed once per text, typos and completeness', () => {
  const words = new SegmentWords(segmentOf(documentsOf(createTexts(115).rows(5))));
  const first = words.similar('abcd', true, 1);
  expect(words.similar('abcd', true, 1)).toBe(first);
  expect(words.similar('abcd', false, 1)).not.toBe(first);
  expect(words.similar('abcd', true, 2)).not.toBe(first);
});

/** Whether a document holds a chain: a word of any section, or neighbors in one section of a group. */
function holds(sections: readonly string[][], { words, unfinished, group }: Chain, typos: number): boolean {
  const [typed = ''] = words;
  if (group === undefined) {
    return sections.flat().some((word) => {
      if (word.startsWith(typed)) return true;
      const budget = editBudget(typed.length, word[0] === typed[0], typos);
      const ends = unfinished ? Array.from(word, (_, at) => word.slice(0, at + 1)) : [word];
      return typos > 0 && budget > 0 && ends.some((end) => editDistance(typed, end) <= budget);
    });
  }
  return (group === 'names' ? sections.slice(0, 2) : sections.slice(2)).some((section) =>
    section.some((_, at) =>
      words.every((text, index) => {
        const word = section[at + index] ?? '';
        return index === words.length - 1 ? word.startsWith(text) : word === text;
      }),
    ),
  );
}

test.each([121, 122])('a chain is held by the documents that a plain comparison finds: seed %i', (seed) => {
  const { rows, word, below, pick } = createTexts(seed);
  const segment = segmentOf(documentsOf(rows(80)));
  const sections = [...segment.rows.keys()].map((document) => sectionsOf(segment, document));
  let found = 0;
  for (let round = 0; round < 60; round += 1) {
    const group = pick(['names', 'aliases', undefined] as const);
    const words = group === undefined ? [word(6)] : [word(2), word(2)];
    const chain: Chain = { words, fixed: group !== undefined, unfinished: below(2) === 0, ...(group && { group }) };
    const typos = group === undefined ? below(3) : 0;
    const match = matchChain(segment, new SegmentWords(segment), chain, typos);
    const expected = sections.flatMap((each, document) => (holds(each, chain, typos) ? [document] : []));
    expect({ chain, held: [...segment.rows.keys()].filter((document) => match.holds(document)) }).toEqual({
      chain,
      held: expected,
    });
    // Each source has every document that matches, maybe others too.
    for (const source of match.sources()) {
      const listed = new Set(source.flatMap(({ list, low, high }) => [...list.values.subarray(low, high)]));
      expect(expected.filter((document) => !listed.has(document))).toEqual([]);
    }
    found += expected.length;
  }
  expect(found).toBeGreaterThan(100);
});
