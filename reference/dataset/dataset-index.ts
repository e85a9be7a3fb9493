import { setImmediate as turn } from 'node:timers/promises';
import { type Leaf, leavesOf } from './dataset-leaves.js';
import type { DatasetSpec } from './dataset.js';
import { type GeoPoints, geoPointsOf } from './geo-point.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Columns, createColumns, parseStoredRow } from '../columns/index.js';
import { finishInSlices } from '../lookup/steps.js';
import type { Declaration, RowWatcher } from './replica.js';
import { createRowLookup, type RowLookup } from './row-lookup.js';
import type { RowStore } from '../rows/row-store.js';

/** The search structures over every row that some version shows, built for one declaration. */
export interface BuiltIndex {
  declaration: Declaration;
  leaves: ReadonlyMap<string, Leaf>;
  points: GeoPoints;
  columns: Columns;
  /** Where the declaration says what to look up. */
  lookup: RowLookup | undefined;
}

export interface DatasetIndex extends RowWatcher {
  /** Undefined until it was built once, and after the dataset was dropped. */
  readonly built: BuiltIndex | undefined;
  /** Builds the index from the existing rows and keeps it up to date from then on; a saved lookup index shortens it. */
  build(declaration: Declaration | undefined, saved?: SavedLookup): Promise<void>;
  /** The lookup index of this moment in parts, for a next start; undefined where there is none. */
  encodeLookup(): Iterable<Buffer> | undefined;
  sizeBytes(): number;
}

export interface SavedLookup {
  bytes: Uint8Array;
  /** Position of the newest entry in it: rows of later entries are added to it. */
  position: number;
}

/** A finished index, and the rows that changed during the build. */
interface MadeIndex {
  index: BuiltIndex;
  changed: ReadonlySet<number>;
}

/** Rows indexed before the loop yields. */
const SLICE = 5_000;

/**
 * The in-memory index of a dataset. When a declaration changes the indexed fields, a new index is built while the
 * current one keeps serving under its own declaration.
 */
export function createDatasetIndex(rows: RowStore): DatasetIndex {
  let built: BuiltIndex | undefined;
  /** Rows that were added, removed or renumbered while an index is being built. */
  let touched: Set<number> | undefined;
  let building = 0;
  /** Index for a declaration that is not in force yet. */
  let next: MadeIndex | undefined;

  const isShown = (row: number): boolean => rows.id(row) !== 0n && !rows.isDeleted(row);

  function put({ columns, lookup }: BuiltIndex, row: number, body: string): void {
    const values = parseStoredRow(body);
    columns.set(row, values);
    lookup?.index.upsert(row, lookup.show(row, values));
  }

  async function build(declaration: Declaration | undefined, saved?: SavedLookup): Promise<void> {
    if (declaration !== undefined) {
      const made = await make(declaration, saved);
      if (made !== undefined) use(made);
      return;
    }
    building += 1;
    built = undefined;
    touched = undefined;
    next = undefined;
  }

  /** @returns undefined when a newer declaration came */
  async function make(declaration: Declaration, saved?: SavedLookup): Promise<MadeIndex | undefined> {
    const mine = (building += 1);
    next = undefined;
    const leaves = leavesOf(declaration.spec);
    const points = geoPointsOf(declaration.spec, leaves);
    const columns = createColumns(leaves);
    const { lookup, position = 0 } = openLookup(rows, declaration, leaves, saved) ?? {};
    const loader = position === 0 ? lookup?.index.loader() : undefined;
    const changed = new Set<number>();
    touched = changed;
    for (let row = 0, end = rows.end(); row < end; row += 1) {
      if (row % SLICE === SLICE - 1) await turn();
      if (mine !== building) return undefined;
      if (!isShown(row)) continue;
      const values = parseStoredRow(rows.bytes(row).toString());
      columns.set(row, values);
      if (lookup === undefined) continue;
      if (loader) loader.add(row, lookup.show(row, values));
      else if (rows.from(row) > position) lookup.index.upsert(row, lookup.show(row, values));
    }
    while (columns.maintain()) await turn();
    if (loader) await finishInSlices(loader.finish());
    return mine === building ? { index: { declaration, leaves, points, columns, lookup }, changed } : undefined;
  }

  function use({ index, changed }: MadeIndex): void {
    for (const row of changed) {
      if (isShown(row)) put(index, row, rows.bytes(row).toString());
      else index.lookup?.index.remove(row);
    }
    built = index;
    touched = undefined;
    next = undefined;
  }

  return {
    get built() {
      return built;
    },
    build,
    encodeLookup: () => built?.lookup?.index.encode(),
    added(row, body) {
      touched?.add(row);
      if (built !== undefined && body !== null) put(built, row, body);
    },
    forgotten(row) {
      touched?.add(row);
      built?.lookup?.index.remove(row);
    },
    async prepare(declaration) {
      next = await make(declaration);
    },
    declared(declaration) {
      if (next !== undefined && next.index.declaration.generation === declaration?.generation) {
        use(next);
        return;
      }
      const same = built !== undefined && declaration !== undefined && isSameIndex(built.declaration, declaration);
      if (same && built !== undefined && declaration !== undefined && touched === undefined) {
        built = { ...built, declaration };
      } else void build(declaration);
    },
    sizeBytes: () => (built ? built.columns.sizeBytes() + (built.lookup?.index.bytes ?? 0) : 0),
  };
}

/** @returns undefined where the declaration names nothing to look up */
function openLookup(rows: RowStore, { spec }: Declaration, leaves: BuiltIndex['leaves'], saved?: SavedLookup) {
  if (spec.lookup === null) return undefined;
  const options = { rows, leaves, lookup: spec.lookup, madeFor: textOf(spec) };
  try {
    if (saved) return { lookup: createRowLookup({ ...options, saved: saved.bytes }), position: saved.position };
  } catch (err) {
    if (!(err instanceof SlipwayError)) throw err; // else it is damaged or for another declaration: rebuild
  }
  return { lookup: createRowLookup(options), position: 0 };
}

const isSameIndex = (one: Declaration, other: Declaration): boolean => textOf(one.spec) === textOf(other.spec);
/** Text of all that the index depends on: synonyms are applied to the typed words alone. */
function textOf({ fields, lookup, points }: DatasetSpec): string {
  const indexed = lookup && { ...lookup, synonyms: undefined };
  return JSON.stringify(points === undefined ? [fields, indexed] : [fields, indexed, points]);
}
