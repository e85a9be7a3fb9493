import fc from 'fast-check';
import { type Columns, type ColumnsOptions, createColumns, parseStoredRow } from '../../../reference/columns/index.js';
import { type Content, readRow } from '../../../reference/rows/row.js';
import { createRowWriter } from '../../../reference/rows/row-writer.js';
import { row } from './cases.js';
import { spec, target } from './positions.js';

/** A row as the naive evaluator sees it, and as it is stored. */
export interface SampleRow {
  content: Content & { id: bigint };
  text: string;
}

const TIMES = { created_at: '2026-01-04T08:00:00.000Z', updated_at: '2026-02-11T09:30:12.114Z' };
const write = createRowWriter(spec);

export function toSampleRow(id: bigint, given: Record<string, unknown>): SampleRow {
  const read = readRow(spec, given);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return { content: { ...read.content, id }, text: write({ id, version: 1, ...TIMES, content: read.content }) };
}

export const sampleRows = (count: number, seed: number): SampleRow[] =>
  fc.sample(row, { numRuns: count, seed }).map((given, at) => toSampleRow(2n ** 53n + BigInt(at), given));

export function columnsOf(rows: readonly SampleRow[], options?: ColumnsOptions): Columns {
  const columns = createColumns(target.leaves, options);
  rows.forEach(({ text }, at) => columns.set(at, parseStoredRow(text)));
  return columns;
}
