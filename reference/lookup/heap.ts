/** A binary heap: `top` is the item that sorts first. */
export class Heap<T> {
  private readonly items: T[] = [];
  private readonly compare: (one: T, other: T) => number;

  constructor(compare: (one: T, other: T) => number) {
    this.compare = compare;
  }

  get top(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    const { items, compare } = this;
    let hole = items.length;
    items.push(item);
    while (hole > 0) {
      const above = (hole - 1) >>> 1;
      const parent = items[above];
      if (parent === undefined || compare(parent, item) <= 0) break;
      items[hole] = parent;
      hole = above;
    }
    items[hole] = item;
  }

  pop(): void {
    const last = this.items.pop();
    if (last !== undefined && this.items.length > 0) this.replaceTop(last);
  }

  /** Replaces the top by an item; the item may be the top itself after a change of its key. */
  replaceTop(item: T): void {
    const { items, compare } = this;
    let hole = 0;
    for (let child = 1; child < items.length; child = 2 * hole + 1) {
      let best = items[child];
      const right = child + 1 < items.length ? items[child + 1] : undefined;
      if (best === undefined) break;
      if (right !== undefined && compare(right, best) < 0) {
        best = right;
        child += 1;
      }
      if (compare(item, best) <= 0) break;
      items[hole] = best;
      hole = child;
    }
    items[hole] = item;
  }
}
