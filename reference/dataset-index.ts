import { setImmediate as turn } from 'node:timers/promises';
import { type Leaf, leavesOf } from '../resources/dataset-leaves.js';
import { type Columns, createColumns, parseStoredRow } from './columns/index.js';
import type { Declaration, RowWatcher } from './replica.js';
import type { RowStore } from './row-store.js';

/** What searches read: columns of every row that some version shows, by the declaration that they were made for. */
export interface BuiltIndex {
  declaration: Declaration;
  leaves: ReadonlyMap<string, Leaf>;
  columns: Columns;
}

export interface DatasetIndex extends RowWatcher {
  /** Undefined until it was built once, and after the dataset was dropped. */
  readonly built: BuiltIndex | undefined;
  /** Builds it of the rows that there are; from then on it follows them. */
  build(declaration: Declaration | undefined): Promise<void>;
  sizeBytes(): number;
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

  function put({ columns }: BuiltIndex, row: number): void {
    if (isShown(row)) columns.set(row, parseStoredRow(rows.bytes(row).toString()));
  }

  async function build(declaration: Declaration | undefined): Promise<void> {
    const mine = (building += 1);
    if (declaration === undefined) {
      built = undefined;
      touched = undefined;
      return;
    }
    const leaves = leavesOf(declaration.spec);
    const made: BuiltIndex = { declaration, leaves, columns: createColumns(leaves) };
    const changed = new Set<number>();
    touched = changed;
    for (let row = 0, end = rows.end(); row < end; row += 1) {
      if (row % SLICE === SLICE - 1) await turn();
      if (mine !== building) return; // a newer declaration came
      put(made, row);
    }
    while (made.columns.maintain()) await turn();
    for (const row of changed) put(made, row);
    built = made;
    touched = undefined;
  }

  return {
    get built() {
      return built;
    },
    build,
    added(row, body) {
      touched?.add(row);
      if (built !== undefined && body !== null) built.columns.set(row, parseStoredRow(body));
    },
    forgotten(row) {
      touched?.add(row);
    },
    declared(declaration) {
      const same = built !== undefined && declaration !== undefined && isSameIndex(built.declaration, declaration);
      if (same && built !== undefined && declaration !== undefined && touched === undefined) {
        built = { ...built, declaration };
      } else void build(declaration);
    },
    sizeBytes: () => built?.columns.sizeBytes() ?? 0,
  };
}

const isSameIndex = (one: Declaration, other: Declaration): boolean => textOf(one) === textOf(other);
const textOf = ({ spec }: Declaration): string => JSON.stringify([spec.fields, spec.lookup]);
