/**
 * Maps 64-bit ids to row numbers: open addressing in one typed array, 8 to 16 bytes a row instead of the hundred of a
 * `Map` of bigints. The ids themselves are stored with the rows.
 */
export function createIdTable(idAt: (row: number) => bigint, capacity = 1_024) {
  const EMPTY = -1;
  let slots = new Int32Array(capacity).fill(EMPTY);
  let count = 0;

  const start = (id: bigint): number => {
    // Ids are often consecutive or time-ordered: they are mixed, so that neighbors do not form one long run.
    const low = Number(BigInt.asIntN(32, id)) | 0;
    const high = Number(BigInt.asIntN(32, id >> 32n)) | 0;
    let hash = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
    return (hash ^ (hash >>> 13)) & (slots.length - 1);
  };

  function slotOf(id: bigint): number {
    for (let slot = start(id); ; slot = (slot + 1) & (slots.length - 1)) {
      const row = slots[slot] ?? EMPTY;
      if (row === EMPTY || idAt(row) === id) return slot;
    }
  }

  function grow(): void {
    const old = slots;
    slots = new Int32Array(old.length * 2).fill(EMPTY);
    for (const row of old) if (row !== EMPTY) slots[slotOf(idAt(row))] = row;
  }

  return {
    /** @returns the row of this id, -1 when there is none */
    get: (id: bigint): number => slots[slotOf(id)] ?? EMPTY,
    /** Sets the row of an id, which must be stored already. Replaces the previous row of the id. */
    set(id: bigint, row: number): void {
      const slot = slotOf(id);
      if (slots[slot] === EMPTY) count += 1;
      slots[slot] = row;
      if (count * 2 > slots.length) grow();
    },
    size: () => count,
    sizeBytes: () => slots.byteLength,
  };
}
