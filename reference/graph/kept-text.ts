import type { RowStore } from '../row-store.js';
import type { DatasetView } from './view.js';

/** A state of a row whose text stands within another. A number may be given to another row, which then comes later. */
export interface ReadRow {
  rows: RowStore;
  row: number;
  from: number;
}

/** Every row that a text was made of, beside its own; undefined where it also says that a row is not there. */
export type Reads = readonly ReadRow[] | undefined;

/** JSON text. */
export interface Written {
  text: string;
  reads: Reads;
}

/** A version of a dataset that a text was read from. */
interface Seen {
  rows: RowStore;
  version: number;
}

export interface KeptText extends Written {
  seen: readonly Seen[];
}

export const NOTHING_READ: Reads = [];

/** @param views all datasets that it may be made of, as they were read */
export const keep = ({ text, reads }: Written, views: readonly DatasetView[]): KeptText => ({
  text,
  reads,
  seen: views.map(toSeen),
});

/**
 * Whether a text is the same as these datasets are read now: where they are read in other versions, when every row that
 * it was made of is still there unchanged.
 */
export function holds(kept: KeptText, views: readonly DatasetView[]): boolean {
  if (kept.seen.every((seen, at) => isSeen(seen, views[at]))) return true;
  if (kept.reads?.every((read) => isShown(read, views)) !== true) return false;
  kept.seen = views.map(toSeen);
  return true;
}

const toSeen = ({ rows, version }: DatasetView): Seen => ({ rows, version });

const isSeen = ({ rows, version }: Seen, view: DatasetView | undefined): boolean =>
  rows === view?.rows && version === view.version;

function isShown({ rows, row, from }: ReadRow, views: readonly DatasetView[]): boolean {
  const view = views.find((each) => each.rows === rows);
  return view !== undefined && rows.from(row) === from && rows.isAt(row, view.version);
}

/** What several texts were made of together. */
export function readTogether(all: readonly Reads[]): Reads {
  const read = new Set<ReadRow>();
  for (const reads of all) {
    if (reads === undefined) return undefined;
    for (const each of reads) read.add(each);
  }
  return read.size === 0 ? NOTHING_READ : [...read];
}
