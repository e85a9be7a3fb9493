import { withCapacity } from './growing-array.js';
import { compareBytes, type TextBytes, type TextDictionary } from './text-dictionary.js';

/** Rank of a text: a smaller rank sorts first; texts of equal rank must be compared. */
export type TextRank = (code: number) => number;

/** Texts in order. */
interface Sorted {
  codes: Uint32Array;
  /** By code: its index in `codes`. */
  places: Uint32Array;
  /** Ranks of later texts, between two indexes; `NaN` until requested. */
  later: Float64Array;
}

/** Texts are sorted again when this many, and this share of all, were added. */
const LAG_TEXTS = 4_096;
const LAG_SHARE = 1 / 32;
/** Texts merged in one step: about a millisecond. */
const STEP = 1_024;

/**
 * The ranks of the texts of a dictionary, so that rows are ordered by numbers without reading the texts: 8 bytes per
 * text, from the first use on.
 */
export function createTextRanks(dictionary: TextDictionary) {
  let sorted: Sorted | undefined;
  let isSorting = false;

  function* sort(): Generator<void> {
    isSorting = true;
    const [known, size, bytes] = [sorted?.codes ?? new Uint32Array(0), dictionary.size(), dictionary.bytes()];
    const came = Uint32Array.from({ length: size - known.length }, (_, at) => known.length + at);
    const codes = yield* mergeSorted(bytes, known, yield* mergeSort(bytes, came));
    const places = new Uint32Array(size);
    for (let at = 0; at < size; at += 1) {
      if (at % STEP === 0) yield;
      places[codes[at] ?? 0] = at;
    }
    sorted = { codes, places, later: new Float64Array(0) };
    isSorting = false;
  }

  return {
    /** The rank function of the texts at this moment; undefined before the first sort. */
    rank: (): TextRank | undefined => sorted && rankIn(sorted, dictionary),
    /** Sorts the texts in steps; undefined when they are sorted or a sort is running. */
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
  sorted.later = withCapacity(sorted.later, dictionary.size() - codes.length, NaN);
  const { later } = sorted;
  return (code) => {
    const place = places[code];
    if (place !== undefined) return place;
    const known = later[code - codes.length] ?? NaN;
    if (!Number.isNaN(known)) return known;
    return (later[code - codes.length] = placeBefore(bytes, codes, code) - 1 / 2);
  };
}

/** Finds the index of the first sorted text that follows a text. */
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

function* mergeSort(bytes: TextBytes, codes: Uint32Array): Generator<void, Uint32Array> {
  if (codes.length < 2) return codes;
  const middle = codes.length >>> 1;
  return yield* mergeSorted(
    bytes,
    yield* mergeSort(bytes, codes.subarray(0, middle)),
    yield* mergeSort(bytes, codes.subarray(middle)),
  );
}

function* mergeSorted(bytes: TextBytes, one: Uint32Array, other: Uint32Array): Generator<void, Uint32Array> {
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
