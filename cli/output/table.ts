import { stripVTControlCharacters } from 'node:util';

/** A column of a table; `wide` ones are shown when asked for. */
export interface Column<Row> {
  header: string;
  wide?: boolean;
  value: (row: Row, now: number) => string;
}

const GAP = '   ';

/** Texts of a table, without their padding. */
export function toCells<Row>(columns: readonly Column<Row>[], rows: readonly Row[], now: number): string[][] {
  return rows.map((row) => columns.map(({ value }) => oneLine(value(row, now)) || '-'));
}

/** As wide as each column needs, so that lines can be cut at spaces; the last one has no padding. */
export function widthsOf(lines: readonly (readonly string[])[]): number[] {
  return (lines[0] ?? []).map((_, at) => Math.max(...lines.map((cells) => lengthOf(cells[at] ?? ''))));
}

export function toLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - lengthOf(cell))));
  return padded.join(GAP).trimEnd();
}

/** Lines of text under each other in columns. */
export function toTable(lines: readonly (readonly string[])[]): string {
  const widths = widthsOf(lines);
  return lines.map((cells) => toLine(cells, widths)).join('\n');
}

/** A table of rows under the headers of their columns. */
export const toRows = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], now: number): string =>
  toTable([columns.map(({ header }) => header), ...toCells(columns, rows, now)]);

// Colors take no room.
const lengthOf = (text: string): number => [...stripVTControlCharacters(text)].length;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
