/** The words of a segment in sorted order, in one pool: word n is `units` from `starts[n]` to `starts[n + 1]`. */
export interface Vocabulary {
  units: Uint16Array;
  starts: Uint32Array;
}

/** Word numbers from `low` to before `high`. */
export interface WordRange {
  low: number;
  high: number;
}

export function vocabularySize({ starts }: Vocabulary): number {
  return starts.length - 1;
}

export function wordAt({ units, starts }: Vocabulary, word: number): string {
  let text = '';
  for (let unit = starts[word] ?? 0; unit < (starts[word + 1] ?? 0); unit += 1)
    text += String.fromCharCode(units[unit] ?? 0);
  return text;
}

/** Whether a word that begins with this many known letters ends with them. */
export function isWord({ starts }: Vocabulary, word: number, letters: number): boolean {
  return (starts[word + 1] ?? 0) - (starts[word] ?? 0) === letters;
}

/** Returns the first number from `low` to `high` for which `before` no longer holds (binary search). */
export function partition(low: number, high: number, before: (index: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares two words of any vocabularies by UTF-16 unit, as strings compare. */
export function compareWords(one: Vocabulary, word: number, other: Vocabulary, otherWord: number): number {
  const [start, otherStart] = [one.starts[word] ?? 0, other.starts[otherWord] ?? 0];
  const length = (one.starts[word + 1] ?? 0) - start;
  const otherLength = (other.starts[otherWord + 1] ?? 0) - otherStart;
  for (let unit = 0; unit < length && unit < otherLength; unit += 1) {
    const difference = (one.units[start + unit] ?? 0) - (other.units[otherStart + unit] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

/** Creates the vocabulary of sorted, distinct words. */
export function vocabularyOf(words: readonly string[]): Vocabulary {
  const starts = new Uint32Array(words.length + 1);
  words.forEach((word, index) => (starts[index + 1] = (starts[index] ?? 0) + word.length));
  const units = new Uint16Array(starts[words.length] ?? 0);
  words.forEach((word, index) => {
    for (let unit = 0; unit < word.length; unit += 1) units[(starts[index] ?? 0) + unit] = word.charCodeAt(unit);
  });
  return { units, starts };
}
