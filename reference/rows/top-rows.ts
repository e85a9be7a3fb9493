import type { RowOrder } from './row-order.js';

export interface TopRowsOptions {
  order: RowOrder;
  /** How many. */
  size: number;
  /** Only rows after this one. */
  after?: number | undefined;
}

/**
 * Selects the first k rows in order with a heap, without sorting the others: a page of a million rows takes one pass.
 * The caller may yield between two calls of `take`.
 */
export class TopRows {
  private readonly order: RowOrder;
  private readonly size: number;
  private readonly after: number | undefined;
  private readonly afterRank: number;
  /** The best rows so far and their ranks; once there are k, the worst of them is on top. */
  private readonly heap: number[] = [];
  private readonly ranks: number[] = [];

  constructor({ order, size, after }: TopRowsOptions) {
    this.order = order;
    this.size = size;
    this.after = after;
    this.afterRank = after === undefined ? -Infinity : order.rank(after);
  }

  /** Processes further rows; each row must be passed once. */
  take(rows: Int32Array): void {
    const { heap, ranks, size, order } = this;
    let bound = heap.length < size ? Infinity : (ranks[0] ?? -Infinity);
    for (const row of rows) {
      const rank = order.rank(row);
      if (rank > bound || !this.isBehind(row, rank)) continue;
      if (heap.length < size) {
        heap.push(row);
        ranks.push(rank);
        if (heap.length === size) this.heapify();
      } else if (size > 0 && (rank < bound || order.compare(row, heap[0] ?? 0) < 0)) {
        heap[0] = row;
        ranks[0] = rank;
        this.sink(0);
      }
      if (heap.length === size) bound = ranks[0] ?? -Infinity;
    }
  }

  /** Returns the rows in order. */
  list(): number[] {
    const positions = this.heap.map((_, at) => at).sort((one, other) => this.compare(one, other));
    return positions.map((at) => this.heap[at] ?? 0);
  }

  private isBehind(row: number, rank: number): boolean {
    const { after, afterRank } = this;
    if (after === undefined || rank > afterRank) return true;
    return rank === afterRank && this.order.compare(row, after) > 0;
  }

  /** Compares two positions of the heap. */
  private compare(one: number, other: number): number {
    const rankOne = this.ranks[one] ?? 0;
    const rankOther = this.ranks[other] ?? 0;
    if (rankOne !== rankOther) return rankOne < rankOther ? -1 : 1;
    return this.order.compare(this.heap[one] ?? 0, this.heap[other] ?? 0);
  }

  private swap(one: number, other: number): void {
    swap(this.heap, one, other);
    swap(this.ranks, one, other);
  }

  /** Establishes the heap order once there are k rows: before that, no row is replaced. */
  private heapify(): void {
    for (let at = (this.heap.length >> 1) - 1; at >= 0; at -= 1) this.sink(at);
  }

  private sink(from: number): void {
    const { length } = this.heap;
    for (let at = from; ;) {
      const left = 2 * at + 1;
      const worse = left + 1 < length && this.compare(left + 1, left) > 0 ? left + 1 : left;
      if (worse >= length || this.compare(worse, at) <= 0) return;
      this.swap(at, worse);
      at = worse;
    }
  }
}

function swap(list: number[], one: number, other: number): void {
  const held = list[one] ?? 0;
  list[one] = list[other] ?? 0;
  list[other] = held;
}

/** Selects the first k rows in one call. */
export function topRows(rows: Int32Array, options: TopRowsOptions): number[] {
  const first = new TopRows(options);
  first.take(rows);
  return first.list();
}
