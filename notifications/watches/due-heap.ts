const NONE = -1;

/**
 * The earliest of many due times, one for each slot, in typed arrays: 16 bytes a slot, and O(log n) to set, move or take
 * one away, wherever it stands.
 */
export function createDueHeap() {
  let capacity = 1_024;
  let dues = new Float64Array(capacity);
  /** Slots in heap order, and where each of them stands in it. */
  let order = new Int32Array(capacity);
  let places = new Int32Array(capacity).fill(NONE);
  let size = 0;

  function grow(slot: number): void {
    while (capacity <= slot) capacity *= 2;
    const from = { dues, order, places };
    dues = new Float64Array(capacity);
    dues.set(from.dues);
    order = new Int32Array(capacity);
    order.set(from.order);
    places = new Int32Array(capacity).fill(NONE);
    places.set(from.places);
  }

  const dueAt = (place: number): number => dues[order[place] ?? 0] ?? 0;

  function put(place: number, slot: number): void {
    order[place] = slot;
    places[slot] = place;
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

  function move(slot: number, place: number, before: number): void {
    if ((dues[slot] ?? 0) < before) up(slot, place);
    else down(slot, place);
  }

  return {
    /** A due time that never comes is none. */
    set(slot: number, due: number): void {
      if (slot >= capacity) grow(slot);
      if (due === Infinity) return this.clear(slot);
      const place = places[slot] ?? NONE;
      const before = place === NONE ? Infinity : (dues[slot] ?? Infinity);
      dues[slot] = due;
      if (place === NONE) size += 1;
      move(slot, place === NONE ? size - 1 : place, before);
    },
    clear(slot: number): void {
      const place = places[slot] ?? NONE;
      if (place === NONE) return;
      places[slot] = NONE;
      size -= 1;
      if (place === size) return;
      move(order[size] ?? 0, place, dues[slot] ?? Infinity);
    },
    dueOf: (slot: number): number => ((places[slot] ?? NONE) === NONE ? Infinity : (dues[slot] ?? Infinity)),
    /** The slot whose time comes first; -1 when none has one. */
    first: (): number => (size === 0 ? NONE : (order[0] ?? NONE)),
    firstDue: (): number => (size === 0 ? Infinity : dueAt(0)),
    size: () => size,
    sizeBytes: () => dues.byteLength + order.byteLength + places.byteLength,
  };
}
export type DueHeap = ReturnType<typeof createDueHeap>;
