import { CsvError, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { type Leaf, leavesOf } from '../dataset/dataset-leaves.js';
import { ROW_MEMBERS } from '../dataset/dataset-names.js';
import type { DatasetSpec } from '../dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ImportCursor, ImportFormat, RowProblem } from '../dataset/import.js';
import { suggest } from '../filter/suggestion.js';
import { readLines } from './import-lines.js';
import { parseJson } from './json.js';
import { parseText } from './value.js';

/** A row of an upload: its values, or the problem that makes it unreadable. */
export interface ImportRow {
  /** Position of the next row. */
  cursor: ImportCursor;
  /** Number of its first line, from 1. */
  line: number;
  given?: unknown;
  problem?: RowProblem;
}

export interface ReadRows {
  format: ImportFormat;
  spec: DatasetSpec;
  /** The bytes from `cursor.offset` on. */
  bytes: AsyncIterable<Buffer>;
  cursor: ImportCursor;
}

const MOST_ROW_BYTES = 2 ** 20;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads an upload from any row on. @throws body.malformed for an error that makes every later row unreadable: columns
 * that the dataset does not have, or a quote that never ends, or begins inside of a cell
 */
export function readRows({ format, ...given }: ReadRows): AsyncGenerator<ImportRow> {
  return format === 'csv' ? readCsv(given) : readNdjson(given);
}

async function* readNdjson({ bytes: chunks, cursor }: Omit<ReadRows, 'format'>): AsyncGenerator<ImportRow> {
  for await (const { number, end, bytes } of readLines(chunks, { ...cursor, mostBytes: MOST_ROW_BYTES })) {
    const next = { offset: end, line: number };
    if (bytes === undefined) {
      const message = `a row has at most ${MOST_ROW_BYTES} bytes`;
      yield { cursor: next, line: number, problem: { line: number, code: 'row.too_long', message } };
      continue;
    }
    const isFirst = number === 1 && bytes.subarray(0, 3).equals(BOM);
    const row = parseLine(isFirst ? bytes.subarray(3) : bytes, number);
    if (row !== undefined) yield { cursor: next, line: number, ...row };
  }
}

function parseLine(bytes: Buffer, line: number): Pick<ImportRow, 'given' | 'problem'> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.trim() === '' ? undefined : { given: parseJson(text) };
  } catch (err) {
    const message = err instanceof SlipwayError ? err.message : 'the row is not UTF-8';
    return { problem: { line, code: 'row.malformed', message } };
  }
}

interface CsvRecord {
  record: string[];
  info: { bytes: number; lines: number };
}

async function* readCsv({ bytes, cursor, spec }: Omit<ReadRows, 'format'>): AsyncGenerator<ImportRow> {
  const parser = parse({
    info: true,
    bom: cursor.offset === 0,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MOST_ROW_BYTES,
  });
  const source = Readable.from(bytes).on('error', (err) => parser.destroy(err));
  const records = source.pipe(parser);
  let columns = cursor.columns;
  let toRow = columns && rowReader(spec, columns);
  let countedTwice = 0;
  try {
    for await (const { record, info } of records as AsyncIterable<CsvRecord>) {
      countedTwice += matchesIn(record, /\r\n/g); // the parser takes CRLF inside of quotes for two line ends
      const line = cursor.line + info.lines - countedTwice;
      const first = line - linesWithin(record);
      const next = { offset: cursor.offset + info.bytes, line };
      if (toRow === undefined) {
        columns = record.map((name) => name.trim());
        toRow = rowReader(spec, columns);
        continue;
      }
      yield { cursor: { ...next, columns }, line: first, ...toRow(record, first) };
    }
  } catch (cause) {
    if (cause instanceof CsvError) {
      throw new SlipwayError('body.malformed', `what follows line ${cursor.line} cannot be read: ${cause.message}`, {
        cause,
      });
    }
    throw cause;
  } finally {
    source.destroy(); // a reader that stops early leaves no download open
  }
}

/** Counts line ends inside of quoted cells. */
const linesWithin = (record: readonly string[]): number => matchesIn(record, /\r\n|\n|\r/g);

const matchesIn = (record: readonly string[], form: RegExp): number =>
  record.reduce((sum, cell) => sum + (cell.match(form)?.length ?? 0), 0);

type ReadRecord = (record: readonly string[], line: number) => Pick<ImportRow, 'given' | 'problem'>;

/** @throws body.malformed for a column that the dataset does not have */
function rowReader(spec: DatasetSpec, columns: readonly string[]): ReadRecord {
  const leaves = leavesOf(spec);
  const known = columns.map((name, at) => {
    // A reference may be named without `.id`.
    const leaf = leaves.get(name) ?? leaves.get(`${name}.id`);
    if (leaf === undefined) throw unknownColumn(name, leaves.keys());
    if (columns.indexOf(name) !== at) throw new SlipwayError('body.malformed', `duplicate column "${name}"`);
    return leaf;
  });
  return (record, line) => {
    if (record.length !== known.length) {
      const message = `has ${record.length} cells where there are ${known.length} columns`;
      return { problem: { line, code: 'row.malformed', message } };
    }
    const row: Record<string, unknown> = {};
    known.forEach((leaf, at) => {
      const cell = record[at] ?? '';
      if (cell !== '' && (leaf.path === 'id' || !isOwn(leaf))) put(row, leaf, cell);
    });
    return { given: row };
  };
}

/** Members set by the service, such as version and times, are ignored. */
const isOwn = ({ path }: Leaf): boolean => (ROW_MEMBERS as readonly string[]).includes(path);

function put(row: Record<string, unknown>, { steps, list, dataset, type, values }: Leaf, cell: string): void {
  // An unreadable value stays text: validation against the declaration reports it.
  const toValue = (text: string): unknown => parseText(text, { type, ...(values && { values }) }) ?? text;
  const isReference = dataset !== undefined;
  const path = isReference ? steps.slice(0, -1) : steps;
  const wrap = (value: unknown): unknown => (isReference ? { id: value } : value);
  let holder = row;
  for (const step of path.slice(0, -1)) holder = (holder[step] ??= {}) as Record<string, unknown>;
  holder[path.at(-1) ?? ''] = list ? cell.split('|').map((part) => wrap(toValue(part))) : wrap(toValue(cell));
}

function unknownColumn(name: string, known: Iterable<string>): SlipwayError {
  const suggestion = suggest(name, known);
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return new SlipwayError('body.malformed', `there is no field for column "${name.slice(0, 60)}"${hint}`);
}
