const NONE = -1;

/**
 * A heap of due times, one per slot, in typed arrays: 16 bytes per slot, and O(log n) to set, move or remove any of
 * them.
 */
export function createDueHeap() {
  let capacity = 1_024;
  let dues = new Float64Array(capacity);
  /** Slots in heap order, and the heap index of each slot. */
  let order = new Int32Array(capacity);
  let indexes = new Int32Array(capacity).fill(NONE);
  let size = 0;

  function grow(slot: number): void {
    while (capacity <= slot) capacity *= 2;
    const from = { dues, order, indexes };
    dues = new Float64Array(capacity);
    dues.set(from.dues);
    order = new Int32Array(capacity);
    order.set(from.order);
    indexes = new Int32Array(capacity).fill(NONE);
    indexes.set(from.indexes);
  }

  const dueAt = (index: number): number => dues[order[index] ?? 0] ?? 0;

  function put(index: number, slot: number): void {
    order[index] = slot;
    indexes[slot] = index;
  }

  function up(slot: number, from: number): void {
    const due = dues[slot] ?? 0;
    let hole = from;
    while (hole > 0) {
      const above = (hole - 1) >>> 1;
      if (dueAt(above) <= due) break;
      put(hole, order[above] ?? 0);
      hole = above;
    }
    put(hole, slot);
  }

  function down(slot: number, from: number): void {
    const due = dues[slot] ?? 0;
    let hole = from;
    for (let child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && dueAt(child + 1) < dueAt(child)) child += 1;
      if (dueAt(child) >= due) break;
      put(hole, order[child] ?? 0);
      hole = child;
    }
    put(hole, slot);
  }

  function move(slot: number, index: number, before: number): void {
    if ((dues[slot] ?? 0) < before) up(slot, index);
    else down(slot, index);
  }

  return {
    /** A due time that never comes is none. */
    set(slot: number, due: number): void {
      if (slot >= capacity) grow(slot);
      if (due === Infinity) return this.clear(slot);
      const index = indexes[slot] ?? NONE;
      const before = index === NONE ? Infinity : (dues[slot] ?? Infinity);
      dues[slot] = due;
      if (index === NONE) size += 1;
      move(slot, index === NONE ? size - 1 : index, before);
    },
    clear(slot: number): void {
      const index = indexes[slot] ?? NONE;
      if (index === NONE) return;
      indexes[slot] = NONE;
      size -= 1;
      if (index === size) return;
      move(order[size] ?? 0, index, dues[slot] ?? Infinity);
    },
    dueOf: (slot: number): number => ((indexes[slot] ?? NONE) === NONE ? Infinity : (dues[slot] ?? Infinity)),
    /** The slot whose time comes first; -1 when none has one. */
    first: (): number => (size === 0 ? NONE : (order[0] ?? NONE)),
    firstDue: (): number => (size === 0 ? Infinity : dueAt(0)),
    size: () => size,
    sizeBytes: () => dues.byteLength + order.byteLength + indexes.byteLength,
  };
}
