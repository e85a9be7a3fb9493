import { SlipwayError } from '../../platform/kinds/errors.js';
import type { BuiltIndex } from './dataset-index.js';
import { cacheByDeclaration } from './declaration-cache.js';
import type { Filter } from '../filter/index.js';
import type { LookupAnswer, LookupIndex } from '../lookup/lookup-index.js';
import { createSynonyms, type Synonyms } from '../lookup/synonyms.js';
import type { Pages } from './page.js';
import type { RowStore } from '../rows/row-store.js';

export interface LookUp {
  /** Text typed so far. */
  text: string;
  /** Most hits, 1 to 50. */
  limit: number;
  /** Restricts the hits to rows that match. */
  filter?: Filter | undefined;
  /** Dataset version to read: it must still be retained. */
  version: number;
}

/** Up to this many rows, a set is smaller than one mark per existing row. */
const FEW = 4_096;

/**
 * Searches as you type over the rows of one version, independent of later writes.
 * @throws lookup.not_declared
 */
export async function lookUp(
  { rows, pages, index }: { rows: RowStore; pages: Pages; index: BuiltIndex },
  { text, limit, filter, version }: LookUp,
): Promise<LookupAnswer> {
  if (filter === undefined) return lookUpAll({ rows, index }, { text, limit, version });
  const lookup = lookupOf(index);
  // Computed in slices and cached for the next keystroke, so that no filter blocks the event loop.
  const matching = await pages.matching({ index, filter, version });
  return lookup.query(text, { limit, accept: isAmong(matching, rows.end()), synonyms: synonymsOf(index) });
}

/**
 * The same without a filter, which is answered at once.
 * @throws lookup.not_declared
 */
export function lookUpAll(
  { rows, index }: { rows: RowStore; index: BuiltIndex },
  { text, limit, version }: Omit<LookUp, 'filter'>,
): LookupAnswer {
  return lookupOf(index).query(text, {
    limit,
    accept: (row) => rows.isAt(row, version),
    synonyms: synonymsOf(index),
  });
}

const compiled = cacheByDeclaration(({ lookup }) =>
  lookup?.synonyms === undefined ? undefined : createSynonyms(lookup.synonyms),
);
const synonymsOf = ({ declaration }: BuiltIndex): Synonyms | undefined => compiled(declaration.spec);

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
