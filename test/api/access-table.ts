import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One line of a table of access: a route, and what each caller gets for its own object and for another's. */
export interface AccessRow {
  route: string;
  /** By column: `yes`, or the status of the refusal; `own/other` where the two differ. */
  cells: readonly string[];
}

/** Joins the statuses for an object of the caller's own and for another's. */
export const cellOf = (own: number, other: number): string => {
  const [one, two] = [own, other].map((status) => ([401, 403, 404].includes(status) ? String(status) : 'yes'));
  return one === two ? `${one}` : `${one}/${two}`;
};

/** The table as it is stored: aligned, so that a person can review a change of it. */
export function toTable(columns: readonly string[], rows: readonly AccessRow[]): string {
  const lines = [['method', 'route', ...columns], ...rows.map(({ route, cells }) => [...route.split(' '), ...cells])];
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  const toLine = (line: readonly string[]) => line.map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2)).join('');
  return `${lines.map((line) => toLine(line).trimEnd()).join('\n')}\n`;
}

/** The reviewed table of `docs/tables`. */
export const readTable = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../docs/tables', name), 'utf8');
