import { allowedEdits, MOST_TYPOS } from './typos.js';

/** The group of fields that holds a document's words: its names, or its aliases. */
export type FieldGroup = 'names' | 'aliases';
const FIELD_GROUPS: readonly FieldGroup[] = ['names', 'aliases'];

/** Adjacent words to be found together: one typed word, or its parts where blanks were left out. */
export interface Chain {
  /** The last word may be a prefix, the others are whole. */
  words: readonly string[];
  /** True where blanks were inserted or removed: such words must match exactly. */
  fixed: boolean;
  /** True for the last typed word, which may be incomplete. */
  unfinished: boolean;
  /** The group that must hold adjacent words, since they must be in one text; other chains match in any group. */
  group?: FieldGroup;
}

/** An interpretation of the typed words: `newyork` as one word, or as the adjacent words `new` and `york`. */
export type Interpretation = readonly Chain[];

/** The word lookups that an interpreter needs. */
export interface KnownWords {
  /** Whether a word begins with the text: in this group, or in any. */
  isBegun: (text: string, group?: FieldGroup) => boolean;
  /** Returns the lengths of the words of this group that are proper prefixes of the text. */
  wholeBeginnings: (text: string, group: FieldGroup) => readonly number[];
}

/** Shortest text whose blanks may be changed: as with typos, shorter words must match exactly. */
const SHORTEST = 4;

export function literalInterpretation(words: readonly string[]): Chain[] {
  return words.map((word, at) => ({ words: [word], fixed: false, unfinished: at === words.length - 1 }));
}

/** Interprets the typed words; the same chain is the same object in all interpretations. */
export class Interpreter {
  private readonly words: readonly string[];
  private readonly known: KnownWords;
  private readonly plain: readonly Chain[];
  /** By position and number of blanks. */
  private readonly joints = new Map<number, readonly Chain[]>();
  private readonly splits = new Map<number, readonly Chain[]>();

  constructor(words: readonly string[], known: KnownWords) {
    this.words = words;
    this.known = known;
    this.plain = literalInterpretation(words);
  }

  /**
   * Returns the interpretations with exactly this many blanks inserted or removed, as far as the resulting words exist,
   * and with at most this many unknown words.
   */
  read(blanks: number, unknown: number): Interpretation[] {
    const found: Interpretation[] = [];
    this.readFrom(0, blanks, unknown, [], found);
    return found;
  }

  private readFrom(at: number, blanks: number, unknown: number, before: Interpretation, found: Interpretation[]): void {
    const chain = this.plain[at];
    if (!chain) {
      if (blanks === 0) found.push(before);
      return;
    }
    const spent = this.known.isBegun(this.words[at] ?? '') ? 0 : 1;
    if (spent <= unknown) this.readFrom(at + 1, blanks, unknown - spent, [...before, chain], found);
    for (let cost = 1; cost <= blanks; cost += 1) {
      for (const each of this.joined(at, cost)) {
        this.readFrom(at + cost + 1, blanks - cost, unknown, [...before, each], found);
      }
      for (const each of this.split(at, cost)) this.readFrom(at + 1, blanks - cost, unknown, [...before, each], found);
    }
  }

  private joined(at: number, blanks: number): readonly Chain[] {
    const key = at * (MOST_TYPOS + 1) + blanks;
    let chains = this.joints.get(key);
    if (!chains) this.joints.set(key, (chains = this.join(at, blanks)));
    return chains;
  }

  private join(at: number, blanks: number): Chain[] {
    const { words, known } = this;
    const text = words.slice(at, at + blanks + 1).join('');
    const exists = at + blanks < words.length && text.length >= SHORTEST && known.isBegun(text);
    return exists ? [{ words: [text], fixed: true, unfinished: at + blanks === words.length - 1 }] : [];
  }

  private split(at: number, blanks: number): readonly Chain[] {
    const key = at * (MOST_TYPOS + 1) + blanks;
    let chains = this.splits.get(key);
    if (!chains) this.splits.set(key, (chains = this.divide(at, blanks)));
    return chains;
  }

  private divide(at: number, blanks: number): Chain[] {
    const word = this.words[at] ?? '';
    if (word.length < SHORTEST) return [];
    const unfinished = at === this.words.length - 1;
    return FIELD_GROUPS.flatMap((group) =>
      partsOf(word, blanks, group, this.known).map((parts) => ({ words: parts, fixed: true, unfinished, group })),
    );
  }
}

/** Lists the ways to insert blanks into a word so that each part is a whole word and the last one begins a word. */
function partsOf(word: string, blanks: number, group: FieldGroup, known: KnownWords): string[][] {
  if (blanks === 0) return known.isBegun(word, group) ? [[word]] : [];
  const found: string[][] = [];
  for (const length of known.wholeBeginnings(word, group)) {
    const first = word.slice(0, length);
    for (const rest of partsOf(word.slice(length), blanks - 1, group, known)) found.push([first, ...rest]);
  }
  return found;
}

/**
 * Lists the ways to allot typos to the chains of an interpretation: a row fits with at most this many typos if and only
 * if it fits one allotment chain by chain, or fits with fewer. Empty when no chain takes typos: fewer typos find the
 * same.
 */
export function allotments(reading: Interpretation, typos: number): number[][] {
  const found: number[][] = [];
  allot(
    reading,
    0,
    typos,
    reading.map(() => 0),
    found,
  );
  return found.filter((allotted) => !isIdle(reading, allotted));
}

function allot(reading: Interpretation, from: number, left: number, allotted: number[], found: number[][]): void {
  if (left === 0) found.push([...allotted]);
  for (let at = from; at < reading.length && left > 0; at += 1) {
    if (!takesTypos(reading[at])) continue;
    allotted[at] = (allotted[at] ?? 0) + 1;
    allot(reading, at, left - 1, allotted, found);
    allotted[at] = (allotted[at] ?? 0) - 1;
  }
}

function takesTypos(chain: Chain | undefined): boolean {
  return chain !== undefined && !chain.fixed && allowedEdits(chain.words[0]?.length ?? 0) > 0;
}

/** Whether an allotment is redundant: a chain has typos although another exact chain begins with its word. */
function isIdle(reading: Interpretation, allotted: readonly number[]): boolean {
  return reading.some(
    ({ words: [typed = ''] }, at) =>
      allotted[at] !== 0 &&
      reading.some(({ words: [other = ''], group }, n) => allotted[n] === 0 && !group && other.startsWith(typed)),
  );
}
