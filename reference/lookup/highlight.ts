import type { LookupFields, LookupSource } from './document.js';
import { SEPARATOR } from './fold.js';
import type { Word } from './normalise.js';
import { locateWords } from './normalise.js';
import type { Chain, Reading } from './reading.js';
import { TypedWord } from './typed-word.js';
import { editBudget, MOST_TYPOS } from './typos.js';

/** Half-open, in UTF-16 units of the original text. */
export type TextRange = readonly [start: number, end: number];

export interface Highlight {
  field: string;
  /** Which of the values, where the field is a list. */
  index: number;
  ranges: TextRange[];
}

/** A row that was found, and how the query was read to find it. */
export interface Found {
  row: number;
  reading: Reading;
  /** Whether words may be mistyped; if not, they are not even compared. */
  mistyped: boolean;
}

/** Finds the field that shows best why a row was found, and the parts of its value that matched; for one query. */
export function createHighlighter(source: LookupSource, { names, aliases }: LookupFields): (found: Found) => Highlight {
  const typedWords = new Map<string, TypedWord>();

  /** Where each chain fits best; of equal places the first one after the chain before, or else the first of all. */
  function align(words: readonly Word[], reading: Reading, mistyped: boolean): Fit[] {
    const fits: Fit[] = [];
    let next = 0;
    for (const chain of reading) {
      let best: Fit[] = [];
      for (let at = 0; at < words.length; at += 1) {
        const fit = chain.words.length > 1 ? fitNeighbors(words, at, chain) : fitWord(words, at, chain, mistyped);
        const [typos, fewest] = [typosOf(fit), typosOf(best)];
        if (typos < fewest || (typos === fewest && at >= next && (best[0]?.at ?? at) < next)) best = fit;
      }
      if (best.length > 0) next = (best.at(-1)?.at ?? 0) + 1;
      fits.push(...best);
    }
    return fits;
  }

  function fitWord(
    words: readonly Word[],
    at: number,
    { words: [typed = ''], ...chain }: Chain,
    mistyped: boolean,
  ): Fit[] {
    const word = words[at]?.text ?? '';
    if (word.startsWith(typed)) return [{ at, letters: typed.length, typos: 0 }];
    return mistyped && !chain.fixed ? fitMistyped(word, at, typed, chain.unfinished) : [];
  }

  /** Takes as much of a word as fits best, and of equal beginnings the longest. */
  function fitMistyped(word: string, at: number, typed: string, unfinished: boolean): Fit[] {
    const sameFirst = typed[0] === word[0];
    const budget = editBudget(typed.length, sameFirst, MOST_TYPOS);
    if (budget <= 0) return [];
    let whole = typedWords.get(typed);
    if (!whole) typedWords.set(typed, (whole = new TypedWord(typed)));
    let [letters, fewest] = [0, Infinity];
    let state = whole.start(budget);
    for (let length = 1; length <= word.length && state !== 0; length += 1) {
      state = whole.follow(state, length - 1, word.charCodeAt(length - 1), budget);
      const edits = unfinished || length === word.length ? whole.edits(state, length) : Infinity;
      if (edits <= Math.min(fewest, budget)) [letters, fewest] = [length, edits];
    }
    return letters === 0 ? [] : [{ at, letters, typos: fewest + (sameFirst ? 0 : 1) }];
  }

  return ({ row, reading, mistyped }) => {
    let best: Highlight = { field: names[0] ?? aliases[0] ?? '', index: 0, ranges: [] };
    let bestScore = 0;
    const shown = source(row);
    for (const [at, field] of [...names, ...aliases].entries()) {
      // Aliases explain what names alone do not: every word, in order, without a typo.
      if (at >= names.length && bestScore > reading.length * WORD) break;
      for (const [index, text] of shown.texts(field).entries()) {
        const words = locateWords(text);
        const fits = align(words, reading, mistyped);
        const score = scoreOf(words, reading, fits);
        if (score <= bestScore) continue;
        bestScore = score;
        best = { field, index, ranges: rangesOf(words, fits) };
      }
    }
    return best;
  };
}

/** The first so many letters of word `at`. */
interface Fit {
  at: number;
  letters: number;
  typos: number;
}

function typosOf([fit]: readonly Fit[]): number {
  return fit?.typos ?? Infinity;
}

function fitNeighbors(words: readonly Word[], first: number, { words: typed }: Chain): Fit[] {
  const fits = typed.map((text, index) => ({ at: first + index, letters: text.length, typos: 0 }));
  const last = typed.length - 1;
  const fitting = fits.every(({ at }, index) => {
    const [word = '', text = ''] = [words[at]?.text, typed[index]];
    return index === last ? word.startsWith(text) : word === text;
  });
  return fitting ? fits : [];
}

const WORD = 100;
const TYPO = 10;

/** More words first, then fewer typos, then the buckets: the whole field, its beginning, words in order. */
function scoreOf(words: readonly Word[], reading: Reading, fits: readonly Fit[]): number {
  if (fits.length === 0) return 0;
  const typos = fits.reduce((sum, fit) => sum + fit.typos, 0);
  const typed = reading.map((chain) => chain.words.join(SEPARATOR)).join(SEPARATOR);
  const text = words.map((word) => word.text).join(SEPARATOR);
  const inOrder = fits.every(({ at }, index) => index === 0 || at > (fits[index - 1]?.at ?? 0));
  const closeness = text === typed ? 3 : text.startsWith(typed) ? 2 : inOrder ? 1 : 0;
  return fits.length * WORD - typos * TYPO + closeness;
}

function rangesOf(words: readonly Word[], fits: readonly Fit[]): TextRange[] {
  const longest = new Map<number, number>();
  for (const { at, letters } of fits) longest.set(at, Math.max(letters, longest.get(at) ?? 0));
  return [...longest]
    .sort(([one], [other]) => one - other)
    .map(([at, letters]) => [words[at]?.starts[0] ?? 0, words[at]?.ends[letters - 1] ?? 0]);
}
