import { itemsOf, membersOf } from '../../platform/kinds/raw-json.js';

/** A cell of a table: text, a number digit by digit, or nothing. */
export type Cell = string | number | bigint;

/** A body with more members, or deeper ones, is one cell of JSON: a caller decides what feedback looks like. */
const MOST_MEMBERS = 200;
const DEEPEST = 8;

/**
 * JSON text as the cells of one row, by the names of their columns:
 *
 * - a member of an object is a column `parent.member`; a dot or a backslash in its name has a backslash before it
 * - a list is one cell, as JSON
 * - a table of one row (`columns` beside `data` or `prediction`, as models take and give it) has a column per column:
 *   `request.data.alcohol`, `response.prediction.quality`
 * - text is itself, `null` is empty, a number and `true` and `false` are as in JSON
 */
export function toCells(name: string, json: string): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  add(cells, name, json, 1);
  return cells;
}

function add(cells: Map<string, Cell>, name: string, json: string, depth: number): void {
  const members = depth > DEEPEST ? undefined : membersOf(json);
  if (members === undefined || members.size === 0 || members.size > MOST_MEMBERS) {
    cells.set(name, toCell(json));
    return;
  }
  const table = depth === 1 ? readTable(members) : undefined;
  for (const [column, value] of table?.cells ?? []) add(cells, join(name, table?.rows ?? '', column), value, DEEPEST);
  for (const [member, value] of members) {
    if (table === undefined || (member !== 'columns' && member !== table.rows)) {
      add(cells, join(name, member), value, depth + 1);
    }
  }
}

const join = (name: string, ...members: string[]): string =>
  [name, ...members.map((member) => member.replace(/[\\.]/g, '\\$&'))].join('.');

/** The only row of a table, by its columns. */
function readTable(members: ReadonlyMap<string, string>): { rows: string; cells: Map<string, string> } | undefined {
  const columns = itemsOf(members.get('columns') ?? '')?.map((column): unknown => JSON.parse(column));
  const rows = ['data', 'prediction'].find((name) => members.has(name));
  const lines = itemsOf(members.get(rows ?? '') ?? '');
  const [line] = lines ?? [];
  if (columns === undefined || rows === undefined || lines?.length !== 1 || line === undefined) return undefined;
  const values = itemsOf(line) ?? [line];
  const cells = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    if (typeof column === 'string') cells.set(column, values[index] ?? '');
  }
  // Two columns of one name, or one too many, are no such table.
  const fits = cells.size === columns.length && columns.length === values.length && values.length <= MOST_MEMBERS;
  return fits ? { rows, cells } : undefined;
}

function toCell(json: string): Cell {
  const text = json.trim();
  if (text === 'null') return '';
  if (text.startsWith('"')) return String(JSON.parse(text));
  if (!/^[-\d]/.test(text)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text);
}
