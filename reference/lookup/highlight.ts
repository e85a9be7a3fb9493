import type { LookupFields, LookupSource } from './document.js';
import { SEPARATOR } from './folding.js';
import { locateWords, type TextRange, unitRange, type Word } from './normalization.js';
import type { Chain, Interpretation } from './interpretation.js';
import { EditAutomaton } from './edit-automaton.js';
import { editBudget, MOST_TYPOS } from './typos.js';

export interface Highlight {
  field: string;
  /** Index of the value, where the field is a list. */
  index: number;
  ranges: TextRange[];
}

/** A hit, with the interpretation of the query that found it. */
export interface Found {
  row: number;
  reading: Interpretation;
  /** Whether words may contain typos; if not, edit distances are not computed. */
  mistyped: boolean;
}

/** Finds, for one query, the field that best explains a hit, and the parts of its value that matched. */
export class Highlighter {
  private readonly source: LookupSource;
  private readonly fields: LookupFields;
  private readonly typedWords = new Map<string, EditAutomaton>();
  private readonly texts = new Map<Interpretation, string>();

  constructor(source: LookupSource, fields: LookupFields) {
    this.source = source;
    this.fields = fields;
  }

  show({ row, reading, mistyped }: Found): Highlight {
    const { names, aliases } = this.fields;
    let best: Highlight = { field: names[0] ?? aliases[0] ?? '', index: 0, ranges: [] };
    if (reading.length === 0) return best;
    let bestScore = 0;
    const shown = this.source(row);
    for (const [at, field] of [...names, ...aliases].entries()) {
      // Aliases explain only what names do not: every word, in order, without a typo.
      if (at >= names.length && bestScore > reading.length * WORD) break;
      for (const [index, text] of shown.texts(field).entries()) {
        const words = locateWords(text);
        const fits = this.align(words, reading, mistyped);
        const score = scoreOf(words, this.textOf(reading), fits);
        if (score <= bestScore) continue;
        bestScore = score;
        best = { field, index, ranges: rangesOf(words, fits) };
      }
    }
    return best;
  }

  /**
   * Finds the best fit of each chain; among equal ones the first after the previous chain, or else the first of all.
   */
  private align(words: readonly Word[], reading: Interpretation, mistyped: boolean): Fit[] {
    const fits: Fit[] = [];
    let next = 0;
    for (const chain of reading) {
      let best: readonly Fit[] = NONE;
      for (let at = 0; at < words.length; at += 1) {
        const fit = chain.words.length > 1 ? fitNeighbors(words, at, chain) : this.fitWord(words, at, chain, mistyped);
        const [typos, fewest] = [typosOf(fit), typosOf(best)];
        if (typos < fewest || (typos === fewest && at >= next && (best[0]?.at ?? at) < next)) best = fit;
      }
      if (best.length > 0) next = (best.at(-1)?.at ?? 0) + 1;
      fits.push(...best);
    }
    return fits;
  }

  private fitWord(words: readonly Word[], at: number, chain: Chain, mistyped: boolean): readonly Fit[] {
    const word = words[at]?.text ?? '';
    const typed = chain.words[0] ?? '';
    if (word.startsWith(typed)) return [{ at, letters: typed.length, typos: 0 }];
    return mistyped && !chain.fixed ? this.fitMistyped(word, at, typed, chain.unfinished) : NONE;
  }

  /** Takes the prefix of a word that fits best, and among equal ones the longest. */
  private fitMistyped(word: string, at: number, typed: string, unfinished: boolean): readonly Fit[] {
    const sameFirst = typed[0] === word[0];
    const budget = editBudget(typed.length, sameFirst, MOST_TYPOS);
    if (budget <= 0) return NONE;
    let whole = this.typedWords.get(typed);
    if (!whole) this.typedWords.set(typed, (whole = new EditAutomaton(typed)));
    let [letters, fewest] = [0, Infinity];
    let state = whole.start(budget);
    for (let length = 1; length <= word.length && state !== 0; length += 1) {
      state = whole.follow(state, length - 1, word.charCodeAt(length - 1), budget);
      const edits = unfinished || length === word.length ? whole.edits(state, length) : Infinity;
      if (edits <= Math.min(fewest, budget)) [letters, fewest] = [length, edits];
    }
    return letters === 0 ? NONE : [{ at, letters, typos: fewest + (sameFirst ? 0 : 1) }];
  }

  private textOf(reading: Interpretation): string {
    let text = this.texts.get(reading);
    if (text === undefined) {
      text = reading.map((chain) => chain.words.join(SEPARATOR)).join(SEPARATOR);
      this.texts.set(reading, text);
    }
    return text;
  }
}

/** A match of the first `letters` letters of word `at`. */
interface Fit {
  at: number;
  letters: number;
  typos: number;
}

const NONE: readonly Fit[] = [];

function typosOf([fit]: readonly Fit[]): number {
  return fit?.typos ?? Infinity;
}

function fitNeighbors(words: readonly Word[], first: number, { words: typed }: Chain): readonly Fit[] {
  const fits = typed.map((text, index) => ({ at: first + index, letters: text.length, typos: 0 }));
  const last = typed.length - 1;
  const fitting = fits.every(({ at }, index) => {
    const [word = '', text = ''] = [words[at]?.text, typed[index]];
    return index === last ? word.startsWith(text) : word === text;
  });
  return fitting ? fits : NONE;
}

const WORD = 100;
const TYPO = 10;

/** Ranks by number of words, then fewer typos, then the buckets: the whole field, its beginning, words in order. */
function scoreOf(words: readonly Word[], typed: string, fits: readonly Fit[]): number {
  if (fits.length === 0) return 0;
  const typos = fits.reduce((sum, fit) => sum + fit.typos, 0);
  const text = words.map((word) => word.text).join(SEPARATOR);
  const inOrder = fits.every(({ at }, index) => index === 0 || at > (fits[index - 1]?.at ?? 0));
  const closeness = text === typed ? 3 : text.startsWith(typed) ? 2 : inOrder ? 1 : 0;
  return fits.length * WORD - typos * TYPO + closeness;
}

function rangesOf(words: readonly Word[], fits: readonly Fit[]): TextRange[] {
  const ranges: TextRange[] = [];
  for (const [at, word] of words.entries()) {
    let letters = 0;
    for (const fit of fits) if (fit.at === at) letters = Math.max(letters, fit.letters);
    if (letters > 0) ranges.push([word.start, unitRange(word, letters - 1)[1]]);
  }
  return ranges;
}
