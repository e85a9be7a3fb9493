/** A set of hashes in bounded memory that never denies a member, and seldom takes a stranger for one (Bloom filter). */
export interface IdFilter {
  add(hash: Buffer): void;
  has(hash: Buffer): boolean;
}

const BITS_PER_ID = 10; // about one stranger in a hundred
const PROBES = 5;
const MOST_BITS = 2 ** 27; // 16 MiB, good for 13 million; past it more strangers pass

/** @param expected how many ids are to come; more make it less sharp, not wrong */
export function createIdFilter(expected: number): IdFilter {
  const bits = Math.min(MOST_BITS, Math.max(1_024, Math.ceil(expected * BITS_PER_ID)));
  const bytes = new Uint8Array(Math.ceil(bits / 8));
  function* places(hash: Buffer): Generator<[byte: number, mask: number]> {
    const [first, step] = [hash.readUInt32BE(0), hash.readUInt32BE(4)];
    for (let probe = 0; probe < PROBES; probe += 1) {
      const bit = (first + probe * step) % bits;
      yield [bit >> 3, 1 << (bit & 7)];
    }
  }
  return {
    add(hash) {
      for (const [byte, mask] of places(hash)) bytes[byte] = (bytes[byte] ?? 0) | mask;
    },
    has(hash) {
      for (const [byte, mask] of places(hash)) if (((bytes[byte] ?? 0) & mask) === 0) return false;
      return true;
    },
  };
}
