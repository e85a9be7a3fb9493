import { toRows } from '../output/table.js';
import type { Row } from './row-pages.js';

/** Members that every row has beside its own. */
const EVERY_ROW = ['version', 'created_at', 'updated_at'];

/** A table with a column for each field that some row has; those of every row only when asked for. */
export function rowTable(rows: readonly Row[], { wide }: { wide: boolean }): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const shown = [...names.filter((name) => !EVERY_ROW.includes(name)), ...(wide ? EVERY_ROW : [])];
  const columns = shown.map((name) => ({ header: name.toUpperCase(), value: (row: Row) => cellOf(row[name]) }));
  return toRows(columns, rows, 0);
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
