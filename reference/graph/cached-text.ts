import type { RowStore } from '../rows/row-store.js';
import { type ReadContext, viewOf } from './read-context.js';

/** A state of a row that is part of another row's text. A reused row number has a later `from`. */
export interface RowDependency {
  rows: RowStore;
  row: number;
  from: number;
}

/** Every row that a text depends on besides its own; undefined when it also depends on the absence of a row. */
export type Dependencies = readonly RowDependency[] | undefined;

/** JSON text with its dependencies. */
export interface RowText {
  text: string;
  reads: Dependencies;
}

/** The version at which a dataset is read. */
interface DatasetVersion {
  rows: RowStore;
  version: number;
}

/** The version of each dataset of a `reach`: one list object for all requests at the same versions. */
export type DatasetVersions = readonly DatasetVersion[];

export interface CachedText extends RowText {
  seen: DatasetVersions;
}

export const NO_DEPENDENCIES: Dependencies = [];

const latest = new WeakMap<readonly string[], DatasetVersions>();

/** @param reach of a planned field: one list object for as long as the shape of its operation is cached */
export function versionsOf(reading: ReadContext, reach: readonly string[]): DatasetVersions {
  const known = latest.get(reach);
  if (known !== undefined && isCurrent(known, reading, reach)) return known;
  const seen = reach.map((dataset) => toVersion(viewOf(reading, dataset)));
  latest.set(reach, seen);
  return seen;
}

const toVersion = ({ rows, version }: DatasetVersion): DatasetVersion => ({ rows, version });

function isCurrent(seen: DatasetVersions, reading: ReadContext, reach: readonly string[]): boolean {
  for (let at = 0; at < reach.length; at += 1) {
    const { rows, version } = viewOf(reading, reach[at] ?? '');
    if (seen[at]?.rows !== rows || seen[at]?.version !== version) return false;
  }
  return true;
}

/**
 * Whether a cached text is valid at these versions: at other versions than its own it is, if every row that it depends
 * on is still visible and unchanged.
 */
export function isValidAt(kept: CachedText, now: DatasetVersions): boolean {
  if (kept.seen === now) return true;
  const { reads } = kept;
  if (reads === undefined) {
    if (!isSame(kept.seen, now)) return false;
  } else for (const read of reads) if (!isShown(read, now)) return false;
  kept.seen = now;
  return true;
}

function isSame(one: DatasetVersions, other: DatasetVersions): boolean {
  for (let at = 0; at < one.length; at += 1) {
    if (one[at]?.rows !== other[at]?.rows || one[at]?.version !== other[at]?.version) return false;
  }
  return true;
}

function isShown({ rows, row, from }: RowDependency, now: DatasetVersions): boolean {
  for (const seen of now) if (seen.rows === rows) return rows.from(row) === from && rows.isAt(row, seen.version);
  return false;
}

/** Merges the dependencies of several texts. */
export function mergeDependencies(all: readonly Dependencies[]): Dependencies {
  const read = new Set<RowDependency>();
  for (const reads of all) {
    if (reads === undefined) return undefined;
    for (const each of reads) read.add(each);
  }
  return read.size === 0 ? NO_DEPENDENCIES : [...read];
}
