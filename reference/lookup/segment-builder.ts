import type { Document } from './document.js';
import { SEPARATOR } from './folding.js';
import type { SegmentData } from './segment.js';
import { vocabularyOf } from './vocabulary.js';

/** Builds a segment from rows sorted in memory; larger segments are merged from such. */
export function buildSegment(documents: readonly Document[], nameFields: number): SegmentData {
  const ranked = [...documents].sort(compareDocuments);
  const numbers = new Map<string, number>(); // in order of first occurrence, until all words are known
  let length = 0;
  for (const { sections } of ranked) {
    for (const section of sections) {
      length += section.length;
      for (const text of section) if (!numbers.has(text)) numbers.set(text, numbers.size);
    }
  }
  const texts = [...numbers.keys()].sort();
  for (const [number, text] of texts.entries()) numbers.set(text, number);

  const words = new Uint32Array(length);
  const sectionStarts = new Uint32Array(ranked.length * (nameFields + 1) + 1);
  let next = 0;
  let nextSection = 0;
  for (const { sections } of ranked) {
    for (const section of sections) {
      sectionStarts[nextSection] = next;
      nextSection += 1;
      for (const text of section) {
        words[next] = numbers.get(text) ?? 0;
        next += 1;
      }
    }
  }
  sectionStarts[nextSection] = next;
  return {
    nameFields,
    vocabulary: vocabularyOf(texts),
    rows: Uint32Array.from(ranked, ({ row }) => row),
    ids: BigInt64Array.from(ranked, ({ id }) => id),
    weights: Float64Array.from(ranked, ({ weight }) => weight),
    sections: sectionStarts,
    words,
    nameOrder: sortNames(ranked, nameFields),
  };
}

function compareDocuments(one: Document, other: Document): number {
  if (one.weight !== other.weight) return one.weight > other.weight ? -1 : 1;
  if (one.name.length !== other.name.length) return one.name.length - other.name.length;
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  return one.row - other.row; // two states of one entity, which are never found together
}

/**
 * Sorts the names that have words, as document times fields plus field. Joined names sort as their sequences of words
 * do.
 */
function sortNames(ranked: readonly Document[], nameFields: number): Uint32Array {
  const names: { name: string; entry: number }[] = [];
  for (const [document, { name, sections }] of ranked.entries()) {
    for (let field = 0; field < nameFields; field += 1) {
      const text = field === 0 ? name : (sections[field]?.join(SEPARATOR) ?? '');
      if (text !== '') names.push({ name: text, entry: document * nameFields + field });
    }
  }
  names.sort(compareNames);
  return Uint32Array.from(names, ({ entry }) => entry);
}

function compareNames(one: { name: string; entry: number }, other: { name: string; entry: number }): number {
  if (one.name === other.name) return one.entry - other.entry;
  return one.name < other.name ? -1 : 1;
}
