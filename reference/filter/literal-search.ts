import type { TextBytes } from '../columns/text-dictionary.js';

/** A hit costs about as much as a test of a text: with more hits than this share of the texts, nothing is gained. */
const MOST_HITS = 1 / 8;

/**
 * Marks the texts that contain a literal, in one pass over the bytes of all texts: many times faster than text by text.
 *
 * @returns undefined when too many do
 */
export function findTextsWith(literal: string, size: number, { pool, offsets }: TextBytes): Uint8Array | undefined {
  const wanted = Buffer.from(literal);
  const end = offsets[size] ?? 0;
  const holders = new Uint8Array(size);
  let left = size * MOST_HITS;
  let code = 0;
  for (let at = pool.indexOf(wanted); at >= 0 && at < end; at = pool.indexOf(wanted, at)) {
    while ((offsets[code + 1] ?? end) <= at) code += 1;
    const next = offsets[code + 1] ?? end;
    const isWhole = at + wanted.length <= next;
    if (isWhole) holders[code] = 1;
    at = isWhole ? next : at + 1;
    left -= 1;
    if (left < 0) return undefined;
  }
  return holders;
}
