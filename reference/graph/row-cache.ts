import { parseStoredRow, type StoredRow } from '../columns/index.js';
import { LruCache } from '../../platform/kinds/lru-cache.js';
import type { RowStore } from '../rows/row-store.js';
import { isValidAt, type CachedText, type RowDependency, type DatasetVersions, type RowText } from './cached-text.js';
import type { PlannedField } from './planned-field.js';

const CACHE_BYTES = 32 * 2 ** 20;
/** Texts cached per row, one for each selection of fields. */
const MOST = 4;

interface CachedRowText extends CachedText {
  fields: readonly PlannedField[];
}

/** A row and its cached texts by selected fields. The row itself never changes. */
export class CachedRow {
  readonly state: RowDependency;
  /** Approximate size: the texts with their dependencies, or the parsed row. */
  readonly size: number;
  #values: StoredRow | undefined;
  #texts: CachedRowText[] = [];

  constructor(state: RowDependency) {
    const bytes = state.rows.bytes(state.row);
    this.state = state;
    this.size = bytes.length * 3 + 400;
  }

  get values(): StoredRow {
    return (this.#values ??= parseStoredRow(this.state.rows.bytes(this.state.row).toString()));
  }

  textOf(fields: readonly PlannedField[], now: DatasetVersions): RowText | undefined {
    for (const text of this.#texts) if (text.fields === fields) return isValidAt(text, now) ? text : undefined;
    return undefined;
  }

  keep(fields: readonly PlannedField[], seen: DatasetVersions, { text, reads }: RowText): void {
    const others = this.#texts.filter((each) => each.fields !== fields);
    this.#texts = [...others.slice(0, MOST - 1), { fields, seen, text, reads }];
    // From now on its texts are used; a parsed row is many small objects.
    this.#values = undefined;
  }
}

/** A cache of the rows of one dataset: a text that many requests need is written once. */
export function createRowCache(rows: RowStore): (row: number) => CachedRow {
  const known = new LruCache<number, CachedRow>({ maxSize: CACHE_BYTES, sizeOf: ({ size }) => size });
  return (row) => {
    const from = rows.from(row);
    const found = known.get(row);
    if (found?.state.from === from) return found;
    const entry = new CachedRow({ rows, row, from });
    known.set(row, entry);
    return entry;
  };
}
