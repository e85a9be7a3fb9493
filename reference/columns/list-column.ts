import { ABSENT, type ListColumn, type ScalarColumn, setValue } from './column.js';
import { withCapacity } from './growing-array.js';

/** Sets a list. Its entries are appended; those of the previous list become garbage. */
export function setList(column: ListColumn, row: number, value: unknown): void {
  const entries = Array.isArray(value) ? (value as unknown[]) : undefined;
  column.starts = withCapacity(column.starts, row + 1);
  column.counts = withCapacity(column.counts, row + 1, ABSENT);
  column.live -= Math.max(0, column.counts[row] ?? 0);
  column.starts[row] = column.used;
  column.counts[row] = entries?.length ?? ABSENT;
  for (const entry of entries ?? []) {
    setValue(column.items, column.used, entry);
    column.used += 1;
    column.live += 1;
  }
  if (column.used > 2 * column.live + 65_536) compact(column);
}

/** Copies the live entries to new arrays: running searches keep reading the old ones. */
function compact(column: ListColumn): void {
  const { counts, starts, items } = column;
  const order = new Int32Array(column.live);
  const moved = new Uint32Array(starts.length);
  let used = 0;
  for (let row = 0; row < counts.length; row += 1) {
    moved[row] = used;
    for (let entry = 0; entry < (counts[row] ?? 0); entry += 1) order[used++] = (starts[row] ?? 0) + entry;
  }
  column.items = pickEntries(items, order);
  column.starts = moved;
  column.used = used;
}

function pickEntries(items: ScalarColumn, order: Int32Array): ScalarColumn {
  const pick = <A extends Int32Array | Uint32Array | Uint8Array | Float64Array | Int8Array>(array: A): A => {
    const Constructor = array.constructor as new (length: number) => A; // typed arrays name their own
    const copy = new Constructor(order.length);
    for (let at = 0; at < order.length; at += 1) copy[at] = array[order[at] ?? 0] ?? 0;
    return copy;
  };
  switch (items.kind) {
    case 'text':
      return { ...items, codes: pick(items.codes) };
    case 'id':
      return { ...items, codes: pick(items.codes) };
    case 'int64':
      return { ...items, high: pick(items.high), low: pick(items.low), present: pick(items.present) };
    case 'number':
      return { ...items, values: pick(items.values) };
  }
}
