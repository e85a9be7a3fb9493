import type { Segment } from './segment.js';
import { sectionStart } from './segment.js';
import type { SegmentWords } from './segment-words.js';
import { isEmpty } from './segment-words.js';
import type { ListRange } from './k-way-merge.js';
import { partition } from './vocabulary.js';

/** Ranges of the sorted names: those equal to the typed words, and those that continue after them. */
export interface NameRanges {
  exact: ListRange;
  longer: ListRange;
}

const NO_MORE = -1;

export function findNameRanges(segment: Segment, words: SegmentWords, typed: readonly string[]): NameRanges {
  const list = segment.sortedNames;
  const last = typed.at(-1) ?? '';
  const before = typed.slice(0, -1).map((text) => words.whole(text));
  if (before.some(isEmpty)) return { exact: { list, low: 0, high: 0 }, longer: { list, low: 0, high: 0 } };

  const begun = words.beginning(last);
  const sequence = before.map(({ low }) => low);
  const low = firstFrom(segment, 0, [...sequence, begun.low]);
  const high = firstFrom(segment, low, [...sequence, begun.high]);
  // Among the names that begin with these whole words, those without further words come first.
  const whole = [...sequence, begun.low, NO_MORE];
  const middle = isEmpty(words.whole(last))
    ? low
    : partition(low, high, (at) => compareName(segment, list.values[at] ?? 0, whole) === 0);
  return { exact: { list, low, high: middle }, longer: { list, low: middle, high } };
}

/** Returns the first of the sorted names, from one on, that is not less than these words. */
function firstFrom(segment: Segment, from: number, sequence: readonly number[]): number {
  const { values } = segment.sortedNames;
  return partition(from, values.length, (at) => compareName(segment, values[at] ?? 0, sequence) < 0);
}

/** Compares as many words of a name as the sequence has; the end of a name counts as NO_MORE. */
function compareName(segment: Segment, entry: number, sequence: readonly number[]): number {
  const document = Math.floor(entry / segment.nameFields);
  const field = entry % segment.nameFields;
  const start = sectionStart(segment, document, field);
  const length = sectionStart(segment, document, field + 1) - start;
  for (let at = 0; at < sequence.length; at += 1) {
    const word = at < length ? (segment.words[start + at] ?? 0) : NO_MORE;
    const difference = word - (sequence[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
