import { setImmediate as turn } from 'node:timers/promises';
import type { Leaf } from '../dataset/dataset-leaves.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { BuiltIndex } from '../dataset/dataset-index.js';
import type { Condition, Filter } from '../filter/index.js';
import { compilePredicate } from '../filter/predicate.js';
import type { Order } from '../dataset/order.js';
import { topRows } from '../rows/top-rows.js';
import { compileOrder } from '../rows/row-order.js';
import type { RowStore } from '../rows/row-store.js';

export interface ReverseQuery {
  index: BuiltIndex;
  rows: RowStore;
  version: number;
  /** The reference to follow backwards. */
  leaf: Leaf;
  /** Ids of the referenced rows, each once. */
  targets: readonly bigint[];
  filter: Filter | undefined;
  order: Order;
  size: number;
  /** For a walk from one target: only rows after the one with this id. */
  after?: bigint | undefined;
}

export interface ReferringRows {
  rows: readonly number[];
  hasMore: boolean;
  total: number;
  /** Every row that refers to the target, unordered. */
  all: Int32Array;
}

/** Rows visited before the loop yields: some milliseconds. */
const SLICE = 50_000;

/**
 * Finds the rows that refer to each of many rows through the index of the reference; filter and order are compiled once
 * for all of them.
 * @returns in the order of `targets`
 */
export async function readReferringRows(query: ReverseQuery): Promise<ReferringRows[]> {
  const { index, rows, version, leaf, targets, filter, order, size, after } = query;
  const { columns } = index;
  const postings = columns.index(leaf.path);
  if (postings === undefined) throw new SlipwayError('internal', `${leaf.path} has no index`);
  const fits = filter === undefined ? () => true : compilePredicate(filter, columns);
  const rowOrder = compileOrder(order, columns);
  const afterRow = after === undefined ? undefined : rows.findAt(after, version);
  const found: ReferringRows[] = [];
  let visited = 0;
  for (const target of targets) {
    const code = postings.find(target);
    const kept = new Set<number>();
    if (code >= 0) {
      // The index also lists rows that referred to it earlier.
      const refers = compilePredicate(refersTo(leaf, target), columns);
      postings.each(code, (row) => {
        visited += 1;
        if (rows.isAt(row, version) && refers(row) && fits(row)) kept.add(row);
      });
    }
    const all = Int32Array.from(kept);
    const page = topRows(all, { order: rowOrder, size: size + 1, after: afterRow });
    found.push({ rows: page.slice(0, size), hasMore: page.length > size, total: kept.size, all });
    if (visited > SLICE) {
      visited = 0;
      await turn();
    }
  }
  return found;
}

const refersTo = (leaf: Leaf, target: bigint): Condition => ({
  kind: 'condition',
  leaf,
  operator: '==',
  values: [target],
  start: 0,
  end: 0,
});

/** Returns the filter that matches the rows that refer to one row. */
export function referringFilter(leaf: Leaf, target: bigint, filter: Filter | undefined): Filter {
  const condition = refersTo(leaf, target);
  if (filter === undefined) return condition;
  return { kind: 'and', terms: [condition, ...(filter.kind === 'and' ? filter.terms : [filter])], start: 0, end: 0 };
}
