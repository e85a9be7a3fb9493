import { withCapacity } from './growing-array.js';
import { fromHalves, mix, toHalves } from './int64.js';

/** Numbers distinct 64-bit integers from 0 on, about 16 bytes each. Numbers are permanent. */
export function createIdDictionary() {
  let high = new Int32Array(256);
  let low = new Uint32Array(256);
  let size = 0;
  /** Open addressing: code + 1, or 0 for a free slot. */
  let slots = new Int32Array(512);

  function slotOf(wantedHigh: number, wantedLow: number): number {
    const mask = slots.length - 1;
    for (let slot = mix(wantedHigh, wantedLow) & mask; ; slot = (slot + 1) & mask) {
      const code = (slots[slot] ?? 0) - 1;
      if (code < 0 || (low[code] === wantedLow && high[code] === wantedHigh)) return slot;
    }
  }

  function growTable(): void {
    slots = new Int32Array(slots.length * 2);
    for (let code = 0; code < size; code += 1) slots[slotOf(high[code] ?? 0, low[code] ?? 0)] = code + 1;
  }

  return {
    /** The number of an integer, given to it now if it has none. */
    intern(value: bigint | number | string): number {
      const halves = toHalves(value);
      const slot = slotOf(halves.high, halves.low);
      const known = (slots[slot] ?? 0) - 1;
      if (known >= 0) return known;
      const code = size;
      high = withCapacity(high, code + 1);
      low = withCapacity(low, code + 1);
      high[code] = halves.high;
      low[code] = halves.low;
      slots[slot] = code + 1;
      size += 1;
      if (size * 4 > slots.length * 3) growTable();
      return code;
    },
    /** -1 for an integer that has no number. */
    find(value: bigint | number | string): number {
      const halves = toHalves(value);
      return (slots[slotOf(halves.high, halves.low)] ?? 0) - 1;
    },
    value: (code: number): bigint => fromHalves(high[code] ?? 0, low[code] ?? 0),
    halves: () => ({ high, low }),
    size: () => size,
    sizeBytes: () => high.byteLength + low.byteLength + slots.byteLength,
  };
}
export type IdDictionary = ReturnType<typeof createIdDictionary>;
