import type { Bucket } from '../../../reference/lookup/buckets.js';
import type { WorldRow } from './world.js';

/** The rules of the lookup, as plainly as they can be written: every row is looked at, for every reading of the query. */
export interface OracleHit {
  row: number;
  bucket: Bucket;
  typos: number;
}

export function oracleSearch(rows: Map<number, WorldRow>, text: string, limit: number): OracleHit[] {
  const typed = wordsOf(text).slice(0, 10);
  const ranked = [...rows].sort(([, one], [, other]) => compareRows(one, other));
  if (typed.length === 0) return ranked.slice(0, limit).map(([row]) => ({ row, bucket: 'popular', typos: 0 }));
  const hits = ranked.map(([row, content]) => ({ row, ...match(content, typed) }));
  const full = hits.filter(({ place }) => place < PARTIAL);
  const shown = full.length > 0 ? full : hits.filter(({ place }) => place === PARTIAL);
  return shown
    .sort((one, other) => one.place - other.place) // stable: within a bucket the order of ranks stays
    .slice(0, limit)
    .map(({ row, place }) => {
      const bucket = ORDER[place] ?? 'partial';
      return { row, bucket, typos: bucket === 'typo_1' ? 1 : bucket === 'typo_2' ? 2 : 0 };
    });
}

// prettier-ignore
const ORDER: readonly Bucket[] = [
  'exact', 'name_prefix', 'words_in_order', 'words_any_order', 'alias', 'typo_1', 'typo_2', 'partial',
];
const PARTIAL = ORDER.indexOf('partial');
const ALIAS = ORDER.indexOf('alias');
const NO_MATCH = ORDER.length;

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/['’]/g, '').replace(/ø/g, 'o');
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

function compareRows(one: WorldRow, other: WorldRow): number {
  const [weight, otherWeight] = [one.weight ?? -Infinity, other.weight ?? -Infinity];
  if (weight !== otherWeight) return weight > otherWeight ? -1 : 1;
  const [name, otherName] = [wordsOf(one.name).join(' '), wordsOf(other.name).join(' ')];
  if (name.length !== otherName.length) return name.length - otherName.length;
  if (name !== otherName) return name < otherName ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

function match(row: WorldRow, typed: readonly string[]): { place: number } {
  const names = [row.name, row.other ?? ''].map(wordsOf);
  const aliases = [row.country ?? '', row.code ?? ''].flat().flatMap(wordsOf);
  const begins = (words: readonly string[], text: string) => words.some((word) => word.startsWith(text));
  const query = typed.join(' ');
  if (names.some((words) => words.join(' ') === query)) return { place: 0 };
  if (names.some((words) => words.join(' ').startsWith(query))) return { place: 1 };
  if (names.some((words) => inOrder(words, typed))) return { place: 2 };
  if (typed.every((text) => begins(names.flat(), text))) return { place: 3 };
  const typos = fewestTypos([...names, aliases], typed);
  if (typos <= 2) return { place: ALIAS + typos };
  return { place: typed.some((text) => begins([...names.flat(), ...aliases], text)) ? PARTIAL : NO_MATCH };
}

function inOrder(words: readonly string[], typed: readonly string[]): boolean {
  const [first, ...rest] = typed;
  if (first === undefined) return true;
  return words.some((word, at) => word.startsWith(first) && inOrder(words.slice(at + 1), rest));
}

/** The cheapest way to read what was typed: word by word, or with a blank put in or taken out for a typo each. */
function fewestTypos(sections: readonly string[][], typed: readonly string[]): number {
  const [first, ...rest] = typed;
  if (first === undefined) return 0;
  const costs = [wordTypos(sections.flat(), first, rest.length === 0) + fewestTypos(sections, rest)];
  for (let count = 2; count <= Math.min(3, typed.length); count += 1) {
    const joined = typed.slice(0, count).join('');
    const fits = joined.length >= 4 && sections.flat().some((word) => word.startsWith(joined));
    if (fits) costs.push(count - 1 + fewestTypos(sections, typed.slice(count)));
  }
  for (const parts of first.length >= 4 ? [...cuts(first, 1), ...cuts(first, 2)] : []) {
    const fits = sections.some((words) =>
      words.some((_, at) =>
        parts.every((part, index) => {
          const word = words[at + index] ?? '';
          return index === parts.length - 1 ? word.startsWith(part) : word === part;
        }),
      ),
    );
    if (fits) costs.push(parts.length - 1 + fewestTypos(sections, rest));
  }
  return Math.min(...costs);
}

function cuts(word: string, count: number): string[][] {
  if (count === 0) return word === '' ? [] : [[word]];
  const found: string[][] = [];
  for (let length = 1; length < word.length; length += 1) {
    for (const rest of cuts(word.slice(length), count - 1)) found.push([word.slice(0, length), ...rest]);
  }
  return found;
}

function wordTypos(words: readonly string[], text: string, unfinished: boolean): number {
  return Math.min(...words.map((word) => typosBetween(text, word, unfinished)));
}

/** Typos to pay for taking `word` for `text`; Infinity where that is not allowed. */
function typosBetween(text: string, word: string, unfinished: boolean): number {
  if (word.startsWith(text)) return 0;
  const allowed = text.length < 4 ? 0 : text.length < 7 ? 1 : 2;
  const ends = unfinished ? Array.from(word, (_, at) => word.slice(0, at + 1)) : [word];
  const edits = Math.min(...ends.map((end) => distance(text, end)));
  const typos = edits + (text[0] === word[0] ? 0 : 1);
  return edits <= allowed && typos <= 2 ? typos : Infinity;
}

/** Damerau's distance, as optimal string alignment. */
function distance(one: string, other: string): number {
  const known = new Map<string, number>();
  const between = (rows: number, columns: number): number => {
    if (rows === 0 || columns === 0) return rows + columns;
    const key = `${rows},${columns}`;
    const memo = known.get(key);
    if (memo !== undefined) return memo;
    const same = one[rows - 1] === other[columns - 1];
    let fewest = Math.min(
      between(rows - 1, columns) + 1,
      between(rows, columns - 1) + 1,
      between(rows - 1, columns - 1) + (same ? 0 : 1),
    );
    const crossed = one[rows - 1] === other[columns - 2] && one[rows - 2] === other[columns - 1];
    if (rows > 1 && columns > 1 && crossed) fewest = Math.min(fewest, between(rows - 2, columns - 2) + 1);
    known.set(key, fewest);
    return fewest;
  };
  return between(one.length, other.length);
}
