import { expect, test } from 'vitest';
import {
  allotments,
  type Chain,
  Interpreter,
  type KnownWords,
  literalInterpretation,
} from '../../../reference/lookup/interpretation.js';
import { createTexts } from './small-segment.js';

/** Words of names and of aliases, read one by one. */
function knownWords(names: readonly string[], aliases: readonly string[]): KnownWords {
  const groups = { names, aliases };
  return {
    isBegun: (text, group) => (group ? groups[group] : [...names, ...aliases]).some((word) => word.startsWith(text)),
    wholeBeginnings: (text, group) =>
      [...new Set(groups[group])]
        .filter((word) => text.startsWith(word) && word !== text)
        .map((word) => word.length)
        .sort((one, other) => one - other),
  };
}

const spelled = (reading: readonly Chain[]): string =>
  reading.map(({ words, group = '' }) => `${words.join('+')}${group && `@${group}`}`).join(' ');

/** All ways to move this many blanks, found by trying every set of places. */
function readingsOf(typed: readonly string[], blanks: number, unknown: number, known: KnownWords): string[] {
  const found: string[] = [];
  const walk = (at: number, left: number, strange: number, before: string[]): void => {
    const word = typed[at];
    if (word === undefined) {
      if (left === 0 && strange <= unknown) found.push(before.join(' '));
      return;
    }
    walk(at + 1, left, strange + (known.isBegun(word) ? 0 : 1), [...before, word]);
    for (let more = 1; more <= left && at + more < typed.length; more += 1) {
      const joined = typed.slice(at, at + more + 1).join('');
      if (joined.length >= 4 && known.isBegun(joined)) walk(at + more + 1, left - more, strange, [...before, joined]);
    }
    for (let mask = 1; word.length >= 4 && mask < 2 ** (word.length - 1); mask += 1) {
      const parts = [...word].reduce<string[]>(
        (all, letter, index) =>
          index > 0 && (mask & (1 << (index - 1))) === 0
            ? [...all.slice(0, -1), `${all.at(-1) ?? ''}${letter}`]
            : [...all, letter],
        [],
      );
      if (parts.length - 1 > left) continue;
      for (const group of ['names', 'aliases'] as const) {
        const fits = parts.every((part, index) => {
          if (index === parts.length - 1) return known.isBegun(part, group);
          return known.wholeBeginnings(`${part}.`, group).includes(part.length);
        });
        if (fits) walk(at + 1, left - parts.length + 1, strange, [...before, `${parts.join('+')}@${group}`]);
      }
    }
  };
  walk(0, blanks, 0, []);
  return found.sort();
}

test.each([0, 1, 2])('with %i blanks moved it reads what a trial of every place finds', (blanks) => {
  const { word, below } = createTexts(71 + blanks);
  let found = 0;
  for (let round = 0; round < 60; round += 1) {
    const words = (count: number) => Array.from({ length: count }, () => word(4));
    const known = knownWords(words(8), words(5));
    const typed = words(1 + below(4));
    for (const unknown of [0, 1, 4]) {
      const readings = new Interpreter(typed, known).read(blanks, unknown).map(spelled).sort();
      expect({ typed, unknown, readings }).toEqual({
        typed,
        unknown,
        readings: readingsOf(typed, blanks, unknown, known),
      });
      found += readings.length;
    }
  }
  expect(found).toBeGreaterThan(20);
});

test('the same chain is the same object in all interpretations', () => {
  const interpreter = new Interpreter(['new', 'york', 'city'], knownWords(['newyork', 'new', 'york', 'city'], []));
  const [plain = []] = interpreter.read(0, 0);
  const joined = interpreter.read(1, 0).find((reading) => reading.length === 2) ?? [];
  expect(spelled(joined)).toBe('newyork city');
  expect(joined[1]).toBe(plain[2]);
  expect(interpreter.read(1, 0).flat()).toContain(joined[0]);
});

test('only the last typed word is unfinished, also as part of a joined one', () => {
  expect(literalInterpretation(['san', 'fr'])).toEqual([
    { words: ['san'], fixed: false, unfinished: false },
    { words: ['fr'], fixed: false, unfinished: true },
  ]);
  const known = knownWords(['sanfrancisco', 'bay'], []);
  const [last] = new Interpreter(['bay', 'san', 'fr'], known).read(1, 0).filter((reading) => reading.length === 2);
  expect(last).toEqual([
    { words: ['bay'], fixed: false, unfinished: false },
    { words: ['sanfr'], fixed: true, unfinished: true },
  ]);
});

test('short words are neither joined nor split', () => {
  const known = knownWords(['ab', 'abc', 'c', 'a', 'bc', 'abcd', 'd'], []);
  expect(new Interpreter(['a', 'bc'], known).read(1, 0)).toEqual([]);
  expect(new Interpreter(['abc'], known).read(1, 0)).toEqual([]);
  expect(new Interpreter(['abcd'], known).read(1, 0).map(spelled)).toEqual(['abc+d@names']);
});

test('parts of a split word are in one group of fields', () => {
  const known = knownWords(['new', 'yorkshire'], ['yo']);
  expect(new Interpreter(['newyork'], known).read(1, 0).map(spelled)).toEqual(['new+york@names']);
  expect(new Interpreter(['newyo'], knownWords(['new'], ['yo'])).read(1, 0)).toEqual([]);
});

const chain = (text: string, more: Partial<Chain> = {}): Chain => ({
  words: [text],
  fixed: false,
  unfinished: false,
  ...more,
});

/** Every vector of typos with this sum, where a chain can have them and no other exact chain makes them idle. */
function allotmentsOf(reading: readonly Chain[], typos: number): number[][] {
  const vectors = reading.reduce<number[][]>(
    (all) => all.flatMap((each) => Array.from({ length: typos + 1 }, (_, count) => [...each, count])),
    [[]],
  );
  return vectors.filter(
    (vector) =>
      vector.reduce((sum, count) => sum + count, 0) === typos &&
      vector.every((count, at) => count === 0 || (!reading[at]?.fixed && (reading[at]?.words[0]?.length ?? 0) >= 4)) &&
      !vector.some(
        (count, at) =>
          count > 0 &&
          reading.some(
            (other, index) =>
              vector[index] === 0 && !other.group && other.words[0]?.startsWith(reading[at]?.words[0] ?? ''),
          ),
      ),
  );
}

test.each([0, 1, 2])('%i typos are allotted in every useful way', (typos) => {
  const { word, below } = createTexts(81);
  for (let round = 0; round < 80; round += 1) {
    const reading = Array.from({ length: 1 + below(4) }, () =>
      chain(word(6), { fixed: below(5) === 0, ...(below(6) === 0 && { group: 'names' as const }) }),
    );
    const sorted = (all: number[][]) => all.map(String).sort();
    expect([spelled(reading), sorted(allotments(reading, typos))]).toEqual([
      spelled(reading),
      sorted(allotmentsOf(reading, typos)),
    ]);
  }
});

test.each([
  ['short words take none', [chain('abc')], 1, []],
  ['a word that is the beginning of another needs none', [chain('abcd'), chain('abcdef')], 1, [[0, 1]]],
  [
    'two typos go to one word or to two',
    [chain('abcdefg'), chain('xyzuvwx')],
    2,
    [
      [2, 0],
      [1, 1],
      [0, 2],
    ],
  ],
  ['words whose blanks were moved take none', [chain('abcdefg', { fixed: true })], 2, []],
])('%s', (_, reading, typos, expected) => {
  expect(allotments(reading, typos)).toEqual(expected);
});
