import { createDueHeap } from './due-heap.js';
import { createGapColumns, type Gap, STATES } from './gap-columns.js';

/** The gaps of one watch with their due times; it counts those that are open. */
export function createGapTable() {
  const gaps = createGapColumns();
  const dues = createDueHeap();
  let open = 0;

  function forEachOpen(visit: (slot: number, gap: Gap) => void): void {
    for (let slot = 0; slot < gaps.size(); slot += 1) {
      if (gaps.state(slot) === STATES.open) visit(slot, gaps.read(slot));
    }
  }

  return {
    gaps,
    dues,
    forEachOpen,
    put(slot: number, gap: Gap, due: number): void {
      open += Number(gap.state === STATES.open) - Number(gaps.state(slot) === STATES.open);
      gaps.write(slot, gap);
      dues.set(slot, due);
    },
    /** Computes every due time again. */
    schedule(dueOf: (gap: Gap) => number): void {
      forEachOpen((slot, gap) => dues.set(slot, dueOf(gap)));
    },
    /** Reads encoded gaps into an empty table. @returns the number of bytes read */
    decode(bytes: Buffer, dueOf: (gap: Gap) => number): number {
      const length = gaps.decode(bytes);
      open = 0;
      forEachOpen((slot, gap) => {
        open += 1;
        dues.set(slot, dueOf(gap));
      });
      return length;
    },
    openCount: () => open,
    sizeBytes: () => gaps.sizeBytes() + dues.sizeBytes(),
  };
}
