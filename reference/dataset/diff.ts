import { setImmediate as turn } from 'node:timers/promises';
import type { RowStore } from '../rows/row-store.js';

export interface Difference {
  id: bigint;
  operation: 'create' | 'update' | 'delete';
  /** Versions of the entity; `null`: it is not there. */
  from_version: number | null;
  to_version: number | null;
}

/** Rows examined before the loop yields. */
const SLICE = 50_000;

/** Lists the differences between two retained states, by id; an entity created and deleted in between has none. */
export async function diffVersions(rows: RowStore, { from, to }: { from: number; to: number }): Promise<Difference[]> {
  const ids = new Set<bigint>();
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    if (row % SLICE === SLICE - 1) await turn();
    if (rows.id(row) !== 0n && rows.turnedBetween(row, from, to)) ids.add(rows.id(row));
  }
  const versionAt = (id: bigint, position: number): number | null => {
    const row = rows.findAt(id, position);
    return row < 0 || rows.isDeleted(row) ? null : rows.version(row);
  };
  const sorted = [...ids].sort((one, other) => (one < other ? -1 : 1));
  return sorted.flatMap((id): Difference[] => {
    const [before, after] = [versionAt(id, from), versionAt(id, to)];
    if (before === after) return [];
    const operation = before === null ? 'create' : after === null ? 'delete' : 'update';
    return [{ id, operation, from_version: before, to_version: after }];
  });
}
