import type { TextBytes } from '../columns/text-dictionary.js';
import { likeParts } from './like-pattern.js';

/** In a segment: any one character. All other units are bytes of UTF-8. */
const ANY = -1;
/** The part of a pattern between two `*`. */
type Segment = Int16Array;
/** @returns the end of the first match at or after `start`, -1 if there is none */
type Find = (pool: Uint8Array, start: number, end: number) => number;

/**
 * Compiles a pattern to a test of the texts of a dictionary. The first and the last segment are compared with the two
 * ends, each other one is searched after the one before; the first match is final, since a `*` follows. So a text is
 * scanned once, however many `*` there are; only a segment with a `?` in it restarts at each position.
 */
export function compileLike(pattern: string, { pool, offsets }: TextBytes): (code: number) => boolean {
  const [first = new Int16Array(), ...others] = toSegments(pattern);
  const last = others.pop();
  const finders: Find[] = [];
  return (code) => {
    let at = matchForward(first, pool, offsets[code] ?? 0, offsets[code + 1] ?? 0);
    if (at < 0 || last === undefined) return at === offsets[code + 1];
    // Comparing the end is cheap and rejects most texts.
    const end = matchBackward(last, pool, at, offsets[code + 1] ?? 0);
    for (let index = 0; index < others.length && at >= 0 && at <= end; index += 1) {
      // Created when first needed: of the thousands that a pattern can have most are never searched.
      const find = (finders[index] ??= createFind(others[index] ?? first));
      at = find(pool, at, end);
    }
    return at >= 0 && at <= end;
  };
}

/** Returns the longest text that every match contains; empty when there is none. */
export function literalOf(pattern: string): string {
  const texts = likeParts(pattern).map((part) => (part.kind === 'text' ? part.text : ''));
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

function toSegments(pattern: string): Segment[] {
  let current: number[] = [];
  const segments = [current];
  for (const part of likeParts(pattern)) {
    if (part.kind === 'run') segments.push((current = []));
    else if (part.kind === 'one') current.push(ANY);
    else for (const byte of Buffer.from(part.text)) current.push(byte);
  }
  return segments.map((segment) => Int16Array.from(segment));
}

const isInside = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;

/** @returns the end of the match that begins at `start`, -1 if there is none */
function matchForward(segment: Segment, pool: Uint8Array, start: number, end: number): number {
  let at = start;
  for (let index = 0; index < segment.length; index += 1) {
    const wanted = segment[index];
    if (at >= end || (wanted !== ANY && pool[at] !== wanted)) return -1;
    at += 1;
    if (wanted === ANY) while (at < end && isInside(pool[at])) at += 1;
  }
  return at;
}

/** @returns the start of the match that ends at `end`, at or after `start`; -1 if there is none */
function matchBackward(segment: Segment, pool: Uint8Array, start: number, end: number): number {
  let at = end;
  for (let index = segment.length - 1; index >= 0; index -= 1) {
    at -= 1;
    if (segment[index] === ANY) while (at > start && isInside(pool[at])) at -= 1;
    if (at < start || (segment[index] !== ANY && pool[at] !== segment[index])) return -1;
  }
  return at;
}

/** From this length on, a repetitive text would cause too many comparisons. */
const LONG = 16;

function createFind(segment: Segment): Find {
  if (segment.length >= LONG && !segment.includes(ANY)) return createTextFind(segment);
  // It begins with a byte of text, since normal form puts `?` before a neighboring `*`: no match begins inside a character.
  const [first, second] = segment;
  if (second === undefined) {
    return (pool, start, end) => {
      for (let at = start; at < end; at += 1) if (pool[at] === first) return at + 1;
      return -1;
    };
  }
  return (pool, start, end) => {
    for (let at = start; at < end; at += 1) {
      if (pool[at] !== first) continue;
      const found = matchForward(segment, pool, at, end);
      if (found >= 0) return found;
    }
    return -1;
  };
}

/** Knuth, Morris and Pratt: no byte of the text is read twice. */
function createTextFind(segment: Segment): Find {
  const borders = new Int32Array(segment.length);
  for (let at = 1, matched = 0; at < segment.length; at += 1) {
    while (matched > 0 && segment[at] !== segment[matched]) matched = borders[matched - 1] ?? 0;
    if (segment[at] === segment[matched]) matched += 1;
    borders[at] = matched;
  }
  return (pool, start, end) => {
    for (let at = start, matched = 0; at < end; at += 1) {
      while (matched > 0 && pool[at] !== segment[matched]) matched = borders[matched - 1] ?? 0;
      if (pool[at] === segment[matched]) matched += 1;
      if (matched === segment.length) return at + 1;
    }
    return -1;
  };
}
