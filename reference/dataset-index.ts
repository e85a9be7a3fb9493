import { setImmediate as turn } from 'node:timers/promises';
import { type Leaf, leavesOf } from '../resources/dataset-leaves.js';
import type { DatasetSpec } from '../resources/dataset.js';
import { SlipwayError } from '../resources/errors.js';
import { type Columns, createColumns, parseStoredRow } from './columns/index.js';
import { finishInSlices } from './lookup/steps.js';
import type { Declaration, RowWatcher } from './replica.js';
import { createRowLookup, type RowLookup } from './row-lookup.js';
import type { RowStore } from './row-store.js';

/** What is searched: every row that some version shows, by the declaration that it was made for. */
export interface BuiltIndex {
  declaration: Declaration;
  leaves: ReadonlyMap<string, Leaf>;
  columns: Columns;
  /** Where the declaration says what to look up. */
  lookup: RowLookup | undefined;
}

export interface DatasetIndex extends RowWatcher {
  /** Undefined until it was built once, and after the dataset was dropped. */
  readonly built: BuiltIndex | undefined;
  /** Builds it of the rows that there are; from then on it follows them. What was saved saves most of the time. */
  build(declaration: Declaration | undefined, saved?: SavedLookup): Promise<void>;
  /** The lookup index of this moment in parts, for a next start; undefined where there is none. */
  encodeLookup(): Iterable<Buffer> | undefined;
  sizeBytes(): number;
}

export interface SavedLookup {
  bytes: Uint8Array;
  /** Of the newest entry in it: rows from later ones are to be taken in. */
  position: number;
}

/** Rows taken in before others get their turn. */
const SLICE = 5_000;

/**
 * The index of a dataset in memory. A declaration that changes what is indexed has it built anew beside the one in use,
 * which goes on with its own declaration until the new one takes its place.
 */
export function createDatasetIndex(rows: RowStore): DatasetIndex {
  let built: BuiltIndex | undefined;
  /** Rows that came, went or changed hands while an index is being built. */
  let touched: Set<number> | undefined;
  let building = 0;

  const isShown = (row: number): boolean => rows.id(row) !== 0n && !rows.isDeleted(row);

  function put({ columns, lookup }: BuiltIndex, row: number, body: string): void {
    const values = parseStoredRow(body);
    columns.set(row, values);
    lookup?.index.upsert(row, lookup.show(row, values));
  }

  /** @returns undefined where the declaration names nothing to look up */
  function openLookup({ spec }: Declaration, leaves: BuiltIndex['leaves'], saved: SavedLookup | undefined) {
    if (spec.lookup === null) return undefined;
    const options = { rows, leaves, lookup: spec.lookup, madeFor: textOf(spec) };
    try {
      if (saved) return { lookup: createRowLookup({ ...options, saved: saved.bytes }), position: saved.position };
    } catch (err) {
      if (!(err instanceof SlipwayError)) throw err; // else it is not for this declaration or not whole: built anew
    }
    return { lookup: createRowLookup(options), position: 0 };
  }

  async function build(declaration: Declaration | undefined, saved?: SavedLookup): Promise<void> {
    const mine = (building += 1);
    if (declaration === undefined) {
      built = undefined;
      touched = undefined;
      return;
    }
    const leaves = leavesOf(declaration.spec);
    const columns = createColumns(leaves);
    const { lookup, position = 0 } = openLookup(declaration, leaves, saved) ?? {};
    const loader = position === 0 ? lookup?.index.loader() : undefined;
    const changed = new Set<number>();
    touched = changed;
    for (let row = 0, end = rows.end(); row < end; row += 1) {
      if (row % SLICE === SLICE - 1) await turn();
      if (mine !== building) return; // a newer declaration came
      if (!isShown(row)) continue;
      const values = parseStoredRow(rows.bytes(row).toString());
      columns.set(row, values);
      if (lookup === undefined) continue;
      if (loader) loader.add(row, lookup.show(row, values));
      else if (rows.from(row) > position) lookup.index.upsert(row, lookup.show(row, values));
    }
    while (columns.maintain()) await turn();
    if (loader) await finishInSlices(loader.finish());
    if (mine !== building) return;
    const made: BuiltIndex = { declaration, leaves, columns, lookup };
    for (const row of changed) {
      if (isShown(row)) put(made, row, rows.bytes(row).toString());
      else lookup?.index.remove(row);
    }
    built = made;
    touched = undefined;
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
    declared(declaration) {
      const same = built !== undefined && declaration !== undefined && isSameIndex(built.declaration, declaration);
      if (same && built !== undefined && declaration !== undefined && touched === undefined) {
        built = { ...built, declaration };
      } else void build(declaration);
    },
    sizeBytes: () => (built ? built.columns.sizeBytes() + (built.lookup?.index.bytes ?? 0) : 0),
  };
}

const isSameIndex = (one: Declaration, other: Declaration): boolean => textOf(one.spec) === textOf(other.spec);
const textOf = ({ fields, lookup }: DatasetSpec): string => JSON.stringify([fields, lookup]);
