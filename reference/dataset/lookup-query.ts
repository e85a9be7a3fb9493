import { SlipwayError } from '../../platform/kinds/errors.js';
import type { BuiltIndex } from './dataset-index.js';
import type { Filter } from '../filter/index.js';
import type { LookupAnswer, LookupIndex } from '../lookup/lookup-index.js';
import type { Pages } from './page.js';
import type { RowStore } from '../rows/row-store.js';

export interface LookUp {
  /** What was typed so far. */
  text: string;
  /** Most hits, 1 to 50. */
  limit: number;
  /** Only rows that it takes. */
  filter?: Filter | undefined;
  /** Dataset version that is read: it must be kept. */
  version: number;
}

/** Up to so many rows a set is smaller than a mark for every row that there is. */
const FEW = 4_096;

/**
 * Search as you type over the rows of one version, whatever was written since.
 * @throws lookup.not_declared
 */
export async function lookUp(
  { rows, pages, index }: { rows: RowStore; pages: Pages; index: BuiltIndex },
  { text, limit, filter, version }: LookUp,
): Promise<LookupAnswer> {
  if (filter === undefined) return lookUpAll({ rows, index }, { text, limit, version });
  const lookup = lookupOf(index);
  // Found in slices and kept for the next letter, so that no filter holds up others, however much there is to test.
  const matching = await pages.matching({ index, filter, version });
  return lookup.query(text, { limit, accept: isAmong(matching, rows.end()) });
}

/**
 * The same without a filter, which is answered at once.
 * @throws lookup.not_declared
 */
export function lookUpAll(
  { rows, index }: { rows: RowStore; index: BuiltIndex },
  { text, limit, version }: Omit<LookUp, 'filter'>,
): LookupAnswer {
  return lookupOf(index).query(text, { limit, accept: (row) => rows.isAt(row, version) });
}

function lookupOf({ lookup }: BuiltIndex): LookupIndex {
  if (lookup === undefined) throw new SlipwayError('lookup.not_declared', 'the dataset declares no fields to look up');
  return lookup.index;
}

function isAmong(rows: Int32Array, end: number): (row: number) => boolean {
  if (rows.length <= FEW) {
    const few = new Set(rows);
    return (row) => few.has(row);
  }
  const marks = new Uint8Array(end);
  for (const row of rows) marks[row] = 1;
  return (row) => marks[row] === 1;
}
