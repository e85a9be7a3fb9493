import { withCapacity } from './growing-array.js';

/** Location of the texts: text `code` is `pool[offsets[code]]` up to `pool[offsets[code + 1]]`, in UTF-8. */
export interface TextBytes {
  pool: Buffer;
  offsets: Uint32Array;
}

/**
 * Numbers distinct texts from 0 on, about 20 bytes each besides the text. Texts are stored in UTF-8, whose byte order
 * is the order of code points. Texts and numbers are permanent.
 */
export function createTextDictionary() {
  let pool = Buffer.allocUnsafeSlow(1_024);
  let offsets = new Uint32Array(1_024);
  let size = 0;
  /** Open addressing: code + 1, or 0 for a free slot. */
  let slots = new Int32Array(1_024);
  /** Hashes by code, so that growing the table does not read the texts again. */
  let hashes = new Int32Array(1_024);

  const used = () => offsets[size] ?? 0;

  /** Writes a text after the last one without adding it. @returns its end */
  function write(text: string): number {
    const start = used();
    // At most three bytes per UTF-16 unit; a larger pool has room for more texts than this one.
    if (start + text.length * 3 > pool.length) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil((start + text.length * 3) * 1.5));
      larger.set(pool.subarray(0, start));
      pool = larger;
    }
    return start + pool.write(text, start);
  }

  function hashOf(start: number, end: number): number {
    let hash = 0x811c_9dc5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (pool[at] ?? 0), 0x0100_0193);
    return hash ^ (hash >>> 15);
  }

  function equals(code: number, start: number, end: number): boolean {
    let at = offsets[code] ?? 0;
    if ((offsets[code + 1] ?? 0) - at !== end - start) return false;
    for (let other = start; other < end; other += 1, at += 1) if (pool[at] !== pool[other]) return false;
    return true;
  }

  /** Finds the slot of the text that was written last: its own, or the free one where it belongs. */
  function slotOf(hash: number, end: number): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const code = (slots[slot] ?? 0) - 1;
      if (code < 0 || (hashes[code] === hash && equals(code, used(), end))) return slot;
    }
  }

  function growTable(): void {
    slots = new Int32Array(slots.length * 2);
    const mask = slots.length - 1;
    for (let code = 0; code < size; code += 1) {
      let slot = (hashes[code] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = code + 1;
    }
  }

  return {
    /** The number of a text, given to it now if it has none. */
    intern(text: string): number {
      const end = write(text);
      const hash = hashOf(used(), end);
      const slot = slotOf(hash, end);
      const known = (slots[slot] ?? 0) - 1;
      if (known >= 0) return known;
      const code = size;
      offsets = withCapacity(offsets, code + 2);
      hashes = withCapacity(hashes, code + 1);
      offsets[code + 1] = end;
      hashes[code] = hash;
      slots[slot] = code + 1;
      size += 1;
      if (size * 4 > slots.length * 3) growTable();
      return code;
    },
    /** -1 for a text that has no number. */
    find(text: string): number {
      const end = write(text);
      return (slots[slotOf(hashOf(used(), end), end)] ?? 0) - 1;
    },
    text: (code: number): string => pool.toString('utf8', offsets[code], offsets[code + 1]),
    bytes: (): TextBytes => ({ pool, offsets }),
    size: () => size,
    sizeBytes: () => pool.length + offsets.byteLength + hashes.byteLength + slots.byteLength,
  };
}
export type TextDictionary = ReturnType<typeof createTextDictionary>;

/** Compares two texts by code point: negative, 0 or positive. */
export function compareBytes({ pool, offsets }: TextBytes, one: number, other: number): number {
  return compareRanges(
    { pool, start: offsets[one] ?? 0, end: offsets[one + 1] ?? 0 },
    { pool, start: offsets[other] ?? 0, end: offsets[other + 1] ?? 0 },
  );
}

/** The first six bytes of a text as a number, which never decreases in text order. */
export function prefixOf({ pool, offsets }: TextBytes, code: number): number {
  const start = offsets[code] ?? 0;
  const length = (offsets[code + 1] ?? 0) - start;
  let high = 0;
  let low = 0;
  if (length > 0) high = (pool[start] ?? 0) << 16;
  if (length > 1) high |= (pool[start + 1] ?? 0) << 8;
  if (length > 2) high |= pool[start + 2] ?? 0;
  if (length > 3) low = (pool[start + 3] ?? 0) << 16;
  if (length > 4) low |= (pool[start + 4] ?? 0) << 8;
  if (length > 5) low |= pool[start + 5] ?? 0;
  return high * 2 ** 24 + low;
}

export interface Range {
  pool: Uint8Array;
  start: number;
  end: number;
}

export function compareRanges(one: Range, other: Range): number {
  const length = Math.min(one.end - one.start, other.end - other.start);
  for (let at = 0; at < length; at += 1) {
    const difference = (one.pool[one.start + at] ?? 0) - (other.pool[other.start + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.end - one.start - (other.end - other.start);
}
