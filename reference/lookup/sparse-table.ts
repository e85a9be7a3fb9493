/**
 * A list of numbers with a sparse table over its blocks for range-minimum queries: the minimum of any range is found in
 * constant time. Documents are numbered by rank, so the minimum is the row to show first.
 */
export interface SparseTable {
  values: Uint32Array;
  /** Level n holds, per block, the position of the minimum of the 2^n blocks that start there. */
  levels: Uint32Array[];
}

const BLOCK_BITS = 5;
const BLOCK = 1 << BLOCK_BITS;

export function buildSparseTable(values: Uint32Array): SparseTable {
  const blocks = values.length >>> BLOCK_BITS; // a partial last block is always scanned
  const levels: Uint32Array[] = [];
  if (blocks > 0) {
    levels.push(Uint32Array.from({ length: blocks }, (_, block) => scan(values, block * BLOCK, (block + 1) * BLOCK)));
  }
  for (let half = 1; half * 2 <= blocks; half *= 2) {
    const below = levels.at(-1) ?? new Uint32Array();
    const level = new Uint32Array(blocks - half * 2 + 1);
    for (let block = 0; block < level.length; block += 1) {
      level[block] = smaller(values, below[block] ?? 0, below[block + half] ?? 0);
    }
    levels.push(level);
  }
  return { values, levels };
}

/** Returns the position of the minimum in the range from `low` to before `high`, which must not be empty. */
export function minimumAt({ values, levels }: SparseTable, low: number, high: number): number {
  const firstBlock = (low + BLOCK - 1) >>> BLOCK_BITS;
  const endBlock = high >>> BLOCK_BITS;
  if (firstBlock >= endBlock) return scan(values, low, high);
  const level = 31 - Math.clz32(endBlock - firstBlock);
  const table = levels[level] ?? values;
  let best = smaller(values, table[firstBlock] ?? 0, table[endBlock - (1 << level)] ?? 0);
  if (low < firstBlock * BLOCK) best = smaller(values, scan(values, low, firstBlock * BLOCK), best);
  if (endBlock * BLOCK < high) best = smaller(values, best, scan(values, endBlock * BLOCK, high));
  return best;
}

export function sparseTableBytes({ values, levels }: SparseTable): number {
  return levels.reduce((sum, level) => sum + level.byteLength, values.byteLength);
}

function scan(values: Uint32Array, low: number, high: number): number {
  let best = low;
  for (let position = low + 1; position < high; position += 1) best = smaller(values, best, position);
  return best;
}

function smaller(values: Uint32Array, one: number, other: number): number {
  return (values[other] ?? 0) < (values[one] ?? 0) ? other : one;
}
