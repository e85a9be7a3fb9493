import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { type Cell, toCells } from '../../lifecycle/kinds/feedback-cells.js';
import { membersOf } from '../../platform/kinds/raw-json.js';
import type { JoinedRow } from '../../lifecycle/stores/partition-join.js';
import { splitLines } from '../../lifecycle/stores/record-lines.js';

/** Columns that every file has; the others follow in the order of their names. */
const FACTS = ['request_id', 'time', 'model_name', 'model_version', 'response_status', 'feedback_time'];
const BODIES = ['request', 'response', 'feedback'] as const;
/** A caller decides what feedback looks like: rows that would add more columns have their bodies as JSON. */
const MOST_COLUMNS = 2_000;

/** Writes rows as newline-delimited JSON; bodies are in it as they came. */
export async function writeRows(rows: AsyncIterable<JoinedRow>, file: string): Promise<void> {
  async function* lines(): AsyncGenerator<string> {
    for await (const row of rows) yield toLine(row);
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
}

function toLine({ request, response, feedback, ...row }: JoinedRow): string {
  const facts = {
    request_id: row.requestId,
    time: timeOf(row.at),
    model_name: row.modelName,
    model_version: row.modelVersion,
    response_status: row.status,
    feedback_time: timeOf(row.feedbackAt),
  };
  const bodies = `"request":${request},"response":${response},"feedback":${feedback}`;
  return `${JSON.stringify(facts).slice(0, -1)},${bodies}}\n`;
}

const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/**
 * The same rows as CSV: UTF-8, a header, quotes as in RFC 4180, lines end with a line feed. Text that a spreadsheet would take for a formula gets an apostrophe
 * before it; numbers do not.
 */
export async function writeTable(rowsFile: string, file: string): Promise<void> {
  const columns = await columnsOf(rowsFile);
  const known = new Set(columns);
  async function* table(): AsyncGenerator<Cell[]> {
    for await (const cells of readCells(rowsFile, known)) yield columns.map((column) => cells.get(column) ?? '');
  }
  const csv = stringify({ header: true, columns, escape_formulas: true });
  await pipeline(Readable.from(table()), csv, createWriteStream(file));
}

async function columnsOf(rowsFile: string): Promise<string[]> {
  const found = new Set<string>();
  const facts = new Set(FACTS);
  for await (const line of readLines(rowsFile)) {
    const names = [...spread(line).keys()].filter((name) => !facts.has(name));
    const added = names.filter((name) => !found.has(name));
    for (const name of found.size + added.length > MOST_COLUMNS ? BODIES : added) found.add(name);
  }
  return [...FACTS, ...[...found].sort()];
}

/** Every row in cells of the columns that the table has. */
async function* readCells(rowsFile: string, columns: ReadonlySet<string>): AsyncGenerator<Map<string, Cell>> {
  for await (const line of readLines(rowsFile)) {
    const cells = spread(line);
    const fits = [...cells.keys()].every((name) => columns.has(name));
    yield fits ? cells : new Map([...cells].filter(([name]) => FACTS.includes(name)).concat(whole(line)));
  }
}

function spread(line: string): Map<string, Cell> {
  return new Map([...(membersOf(line) ?? [])].flatMap(([name, json]) => [...toCells(name, json)]));
}

function whole(line: string): [string, Cell][] {
  const members = membersOf(line);
  return BODIES.map((name) => [name, members?.get(name) ?? '']);
}

async function* readLines(file: string): AsyncGenerator<string> {
  for await (const line of splitLines(createReadStream(file), Infinity)) if (line !== undefined) yield line.toString();
}
