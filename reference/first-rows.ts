import type { RowOrder } from './row-order.js';

export interface FirstRowsOptions {
  order: RowOrder;
  /** How many. */
  size: number;
  /** Only rows behind this one. */
  after?: number | undefined;
}

/**
 * Finds the first rows in order, without sorting the others: of a million rows a page takes as long as looking at each
 * once. Between two pieces others may have their turn, as in a search.
 */
export function createFirstRows({ order: { compare, rank }, size, after }: FirstRowsOptions) {
  /** The best so far, the worst of them on top; and their ranks. */
  const heap: number[] = [];
  const ranks: number[] = [];
  const afterRank = after === undefined ? -Infinity : rank(after);

  function isBehind(row: number, ofRow: number): boolean {
    if (after === undefined || ofRow > afterRank) return true;
    return ofRow === afterRank && compare(row, after) > 0;
  }

  /** Of two places in the heap. */
  function comparePlaces(one: number, other: number): number {
    const [rankOne = 0, rankOther = 0] = [ranks[one], ranks[other]];
    if (rankOne !== rankOther) return rankOne < rankOther ? -1 : 1;
    return compare(heap[one] ?? 0, heap[other] ?? 0);
  }

  function swap(one: number, other: number): void {
    [heap[one], heap[other]] = [heap[other] ?? 0, heap[one] ?? 0];
    [ranks[one], ranks[other]] = [ranks[other] ?? 0, ranks[one] ?? 0];
  }

  function rise(): void {
    for (let at = heap.length - 1; at > 0; at = (at - 1) >> 1) {
      const above = (at - 1) >> 1;
      if (comparePlaces(at, above) <= 0) return;
      swap(at, above);
    }
  }

  function sink(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const worse = right < heap.length && comparePlaces(right, left) > 0 ? right : left;
      if (worse >= heap.length || comparePlaces(worse, at) <= 0) return;
      swap(at, worse);
      at = worse;
    }
  }

  return {
    /** Takes more rows into account, each of all pieces once. */
    take(rows: Int32Array): void {
      let bound = heap.length < size ? Infinity : (ranks[0] ?? -Infinity);
      for (const row of rows) {
        const ofRow = rank(row);
        if (ofRow > bound || !isBehind(row, ofRow)) continue;
        if (heap.length < size) {
          heap.push(row);
          ranks.push(ofRow);
          rise();
        } else if (size > 0 && (ofRow < bound || compare(row, heap[0] ?? 0) < 0)) {
          heap[0] = row;
          ranks[0] = ofRow;
          sink();
        }
        if (heap.length === size) bound = ranks[0] ?? -Infinity;
      }
    },
    /** In order. */
    list(): number[] {
      const places = heap.map((_, at) => at).sort(comparePlaces);
      return places.map((at) => heap[at] ?? 0);
    },
  };
}

/** The same at once. */
export function firstRows(rows: Int32Array, options: FirstRowsOptions): number[] {
  const first = createFirstRows(options);
  first.take(rows);
  return first.list();
}
