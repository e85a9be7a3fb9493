import { grown } from './growing-array.js';
import { compareBytes, type TextBytes, type TextDictionary } from './text-dictionary.js';

/** Of two texts the one that comes first has the smaller number; those of the same one are to be compared. */
export type TextRank = (code: number) => number;

/** Texts in order. */
interface Sorted {
  codes: Uint32Array;
  /** By code: its place in `codes`. */
  places: Uint32Array;
  /** Of texts that came since, between two places; `NaN` before somebody asked. */
  later: Float64Array;
}

/** Sorted anew when so many texts, and this share of all, came since. */
const LAG_TEXTS = 4_096;
const LAG_SHARE = 1 / 32;
/** Texts merged in one step, with what they are made of: about a millisecond. */
const STEP = 1_024;

/**
 * The places of the texts of a dictionary in the order of all of them, so that rows are ordered by numbers without a look
 * at the texts: 8 bytes for each, from the time when somebody wants it.
 */
export function createTextRanks(dictionary: TextDictionary) {
  let sorted: Sorted | undefined;
  let isSorting = false;

  function* sort(): Generator<void> {
    isSorting = true;
    const [known, size, bytes] = [sorted?.codes ?? new Uint32Array(0), dictionary.size(), dictionary.bytes()];
    const came = Uint32Array.from({ length: size - known.length }, (_, at) => known.length + at);
    const codes = yield* merged(bytes, known, yield* inOrder(bytes, came));
    const places = new Uint32Array(size);
    for (let at = 0; at < size; at += 1) {
      if (at % STEP === 0) yield;
      places[codes[at] ?? 0] = at;
    }
    sorted = { codes, places, later: new Float64Array(0) };
    isSorting = false;
  }

  return {
    /** By the texts that there are now; undefined before they were sorted for the first time. */
    rank: (): TextRank | undefined => sorted && rankIn(sorted, dictionary),
    /** Sorts the texts in steps; undefined when that was done or is being done. */
    sorting(): Generator<void> | undefined {
      const lag = dictionary.size() - (sorted?.codes.length ?? 0);
      const isFresh = sorted !== undefined && lag <= Math.max(LAG_TEXTS, dictionary.size() * LAG_SHARE);
      return isFresh || isSorting ? undefined : sort();
    },
    sizeBytes: (): number =>
      sorted === undefined ? 0 : sorted.codes.byteLength + sorted.places.byteLength + sorted.later.byteLength,
  };
}
export type TextRanks = ReturnType<typeof createTextRanks>;

function rankIn(sorted: Sorted, dictionary: TextDictionary): TextRank {
  const { codes, places } = sorted;
  const bytes = dictionary.bytes();
  sorted.later = grown(sorted.later, dictionary.size() - codes.length, NaN);
  const { later } = sorted;
  return (code) => {
    const place = places[code];
    if (place !== undefined) return place;
    const known = later[code - codes.length] ?? NaN;
    if (!Number.isNaN(known)) return known;
    return (later[code - codes.length] = placeBefore(bytes, codes, code) - 1 / 2);
  };
}

/** Of the first of the sorted texts that comes behind one. */
function placeBefore(bytes: TextBytes, codes: Uint32Array, code: number): number {
  let low = 0;
  let high = codes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(bytes, codes[middle] ?? 0, code) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* inOrder(bytes: TextBytes, codes: Uint32Array): Generator<void, Uint32Array> {
  if (codes.length < 2) return codes;
  const middle = codes.length >>> 1;
  return yield* merged(
    bytes,
    yield* inOrder(bytes, codes.subarray(0, middle)),
    yield* inOrder(bytes, codes.subarray(middle)),
  );
}

function* merged(bytes: TextBytes, one: Uint32Array, other: Uint32Array): Generator<void, Uint32Array> {
  const all = new Uint32Array(one.length + other.length);
  let [left, right] = [0, 0];
  for (let at = 0; at < all.length; at += 1) {
    if (at % STEP === STEP - 1) yield;
    const isLeft =
      left < one.length && (right === other.length || compareBytes(bytes, one[left] ?? 0, other[right] ?? 0) < 0);
    all[at] = (isLeft ? one[left++] : other[right++]) ?? 0;
  }
  return all;
}
