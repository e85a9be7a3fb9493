/** A 64-bit integer as two halves: comparing bigints costs an allocation each, comparing halves nothing. */
export interface Halves {
  /** Signed. */
  high: number;
  /** Unsigned. */
  low: number;
}

/** Splits an integer; digits and safe integers are not converted to bigint on the way. */
export function toHalves(value: bigint | number | string): Halves {
  const exact = typeof value === 'string' && value.length < 16 ? Number(value) : value;
  if (typeof exact === 'number') return { high: Math.floor(exact / 2 ** 32), low: exact >>> 0 };
  const integer = BigInt(exact);
  return { high: Number(integer >> 32n), low: Number(integer & 0xffff_ffffn) };
}

export const fromHalves = (high: number, low: number): bigint => (BigInt(high) << 32n) | BigInt(low);

export function mix(high: number, low: number): number {
  let hash = Math.imul(low ^ Math.imul(high, 0x9e37_79b1), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2_ae35);
  return hash ^ (hash >>> 13);
}
