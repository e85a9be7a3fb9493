import { allowedEdits } from './typos.js';

/** What a document is found by: its names, or its aliases. */
export type Place = 'names' | 'aliases';
const PLACES: readonly Place[] = ['names', 'aliases'];

/** Words to be found together: a word typed, or neighbors where it was typed without the blanks between them. */
export interface Chain {
  /** The last one may be only begun, the others are whole. */
  words: readonly string[];
  /** Set where blanks were put in or taken out: such words are taken letter by letter. */
  fixed: boolean;
  /** The last word typed may still be unfinished. */
  unfinished: boolean;
  /** Where neighbors stand, because they stand in one text; any other chain may stand anywhere. */
  place?: Place;
}

/** One way to understand what was typed: `newyork` as it stands, or as the neighbors `new` and `york`. */
export type Reading = readonly Chain[];

/** What a reader must know of the words that there are. */
export interface KnownWords {
  /** Whether a word begins with the text: one in that place, or any. */
  isBegun: (text: string, place?: Place) => boolean;
  /** Lengths of the words in that place, shorter than the text, that it begins with. */
  wholeBeginnings: (text: string, place: Place) => readonly number[];
}

/** As for typos: short words are left alone. */
const SHORTEST = 4;

export function asTyped(words: readonly string[]): Chain[] {
  return words.map((word, at) => ({ words: [word], fixed: false, unfinished: at === words.length - 1 }));
}

/**
 * Gives the readings with exactly so many blanks put in or taken out, as far as there are such words, and where so many
 * words as typed or fewer are unknown. The same chain is the same object in all of them.
 */
export function createReader(
  words: readonly string[],
  known: KnownWords,
): (blanks: number, unknown: number) => Reading[] {
  const plain = asTyped(words);
  const joined = memoized((at: number, blanks: number): Chain[] => {
    const text = words.slice(at, at + blanks + 1).join('');
    const exists = at + blanks < words.length && text.length >= SHORTEST && known.isBegun(text);
    return exists ? [{ words: [text], fixed: true, unfinished: at + blanks === words.length - 1 }] : [];
  });
  const split = memoized((at: number, blanks: number): Chain[] => {
    const word = words[at] ?? '';
    if (word.length < SHORTEST) return [];
    const unfinished = at === words.length - 1;
    return PLACES.flatMap((place) =>
      partsOf(word, blanks, place, known).map((parts) => ({ words: parts, fixed: true, unfinished, place })),
    );
  });

  return (blanks, unknown) => {
    const found: Reading[] = [];
    const reading: Chain[] = [];
    function take(chain: Chain, next: number, blanksLeft: number, unknownLeft: number): void {
      reading.push(chain);
      readFrom(next, blanksLeft, unknownLeft);
      reading.pop();
    }
    function readFrom(at: number, blanksLeft: number, unknownLeft: number): void {
      const chain = plain[at];
      if (!chain) {
        if (blanksLeft === 0) found.push([...reading]);
        return;
      }
      const spent = known.isBegun(words[at] ?? '') ? 0 : 1;
      if (spent <= unknownLeft) take(chain, at + 1, blanksLeft, unknownLeft - spent);
      for (let cost = 1; cost <= blanksLeft; cost += 1) {
        for (const each of joined(at, cost)) take(each, at + cost + 1, blanksLeft - cost, unknownLeft);
        for (const each of split(at, cost)) take(each, at + 1, blanksLeft - cost, unknownLeft);
      }
    }
    readFrom(0, blanks, unknown);
    return found;
  };
}

/** The ways to put so many blanks into a word that each part is a whole word, and the last one begins a word. */
function partsOf(word: string, blanks: number, place: Place, known: KnownWords): string[][] {
  if (blanks === 0) return known.isBegun(word, place) ? [[word]] : [];
  const found: string[][] = [];
  for (const length of known.wholeBeginnings(word, place)) {
    const first = word.slice(0, length);
    for (const rest of partsOf(word.slice(length), blanks - 1, place, known)) found.push([first, ...rest]);
  }
  return found;
}

function memoized<T>(compute: (at: number, blanks: number) => T): (at: number, blanks: number) => T {
  const known: T[][] = [];
  return (at, blanks) => ((known[at] ??= [])[blanks] ??= compute(at, blanks));
}

/**
 * The ways to allot typos to the chains of a reading: a row fits it with so many typos or fewer if and only if it fits
 * one of them chain by chain. None where no chain takes typos: then fewer typos find the same.
 */
export function allotments(reading: Reading, typos: number): number[][] {
  const found: number[][] = [];
  const allotted = reading.map(() => 0);
  function allot(from: number, left: number): void {
    if (left === 0) found.push([...allotted]);
    for (let at = from; at < reading.length && left > 0; at += 1) {
      if (!takesTypos(reading[at])) continue;
      allotted[at] = (allotted[at] ?? 0) + 1;
      allot(at, left - 1);
      allotted[at] = (allotted[at] ?? 0) - 1;
    }
  }
  allot(0, typos);
  return found;
}

function takesTypos(chain: Chain | undefined): boolean {
  return chain !== undefined && !chain.fixed && allowedEdits(chain.words[0]?.length ?? 0) > 0;
}
