import { Option } from 'commander';
import type { CliContext } from '../context.js';
import { toData } from './format.js';
import { toRows, type Column } from './table.js';

const FORMATS = ['table', 'name', 'json', 'yaml'] as const;
export type PlainFormat = (typeof FORMATS)[number];

/** `-o`, for lists of what manifests do not describe. */
export const plainOption = (): Option => new Option('-o, --output <format>').choices(FORMATS).default('table');

interface PlainList<Row> {
  format: PlainFormat;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  nameOf: (row: Row) => string;
  /** Said when there are no rows. */
  none: string;
}

/** Prints a list; an empty one is a note, and `[]` as data. */
export async function showPlain<Row>(
  { terminal, now }: CliContext,
  { format, rows, columns, nameOf, none }: PlainList<Row>,
): Promise<void> {
  if (rows.length === 0) terminal.note(none);
  if (format === 'json' || format === 'yaml') terminal.out(await toData(rows, format));
  else if (rows.length > 0)
    terminal.out(format === 'name' ? rows.map(nameOf).join('\n') : toRows(columns, rows, now()));
}
