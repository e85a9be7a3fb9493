import type { RowState } from '../dataset/change.js';
import type { RowStore } from './row-store.js';
import { updatedAtOf } from './row-text.js';

/** Returns the newest state of an entity; undefined when it never existed. */
export function newestState(rows: RowStore, id: string): RowState | undefined {
  const row = rows.find(BigInt(id));
  if (row < 0) return undefined;
  const text = rows.bytes(row).toString();
  const version = rows.version(row);
  return rows.isDeleted(row) ? { version, body: null, at: text } : { version, body: text, at: updatedAtOf(text) };
}

/** Returns the newest version of an entity; 0 when it never existed. */
export function newestVersion(rows: RowStore, id: string): number {
  const row = rows.find(BigInt(id));
  return row < 0 ? 0 : rows.version(row);
}

/** Whether it is the newest row of an entity that is not deleted. */
export const isNewest = (rows: RowStore, row: number): boolean =>
  !rows.isDeleted(row) && rows.find(rows.id(row)) === row;
