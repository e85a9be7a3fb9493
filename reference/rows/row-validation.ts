import type { DatasetSpec } from '../dataset/dataset.js';
import { parseJson } from './json.js';
import { cacheByDeclaration } from '../dataset/declaration-cache.js';
import { type Content, readRow } from './row.js';
import { createdAtOf, updatedAtOf } from './row-text.js';
import { createFieldWriters, createRowWriter, type Row } from './row-writer.js';

export const rowWriterOf = cacheByDeclaration((spec) => createRowWriter(spec));
const fieldWritersOf = cacheByDeclaration(createFieldWriters);

/** Whether a declaration accepts a stored row. */
export const acceptsRow = (spec: DatasetSpec, text: string): boolean => readRow(spec, parseJson(text)).ok;

/**
 * Parses a stored row by the declaration that it was written under, or by a later one that accepts it.
 * @returns undefined when this declaration does not accept it
 */
export function parseRow(spec: DatasetSpec, text: string): Row | undefined {
  const given = parseJson(text) as { id: string; version: bigint }; // a stored row has both
  const result = readRow(spec, given);
  return result.ok ? toRow(text, given, result.content) : undefined;
}

/** Parses a row that an earlier declaration accepted: members that this one does not accept are left out. */
export function parseValid(spec: DatasetSpec, text: string): Row {
  const given = parseJson(text) as { id: string; version: bigint } & Record<string, unknown>;
  const members = Object.entries(spec.fields).flatMap(([name, field]) => {
    if (!Object.hasOwn(given, name)) return [];
    const result = readRow({ fields: { [name]: field } }, { [name]: given[name] });
    return result.ok ? Object.entries(result.content) : [];
  });
  return toRow(text, given, Object.fromEntries(members));
}

const toRow = (text: string, { id, version }: { id: string; version: bigint }, content: Content): Row => ({
  id: BigInt(id),
  version: Number(version),
  created_at: createdAtOf(text),
  updated_at: updatedAtOf(text),
  content,
});

/** Writes a stored row again under this declaration. */
export function rewriteRow(spec: DatasetSpec, text: string): string {
  const row = parseRow(spec, text);
  return row === undefined ? text : rowWriterOf(spec)(row);
}

/**
 * Fields that a new state changes, as JSON text of their values before, `null` for those that were absent.
 * @param after `undefined`: the row is deleted, and all it had is listed
 */
export function previousOf(spec: DatasetSpec, before: Content, after: Content | undefined): string {
  const members: string[] = [];
  for (const [name, write] of fieldWritersOf(spec)) {
    const text = (content: Content | undefined): string => {
      const value = content !== undefined && Object.hasOwn(content, name) ? content[name] : undefined;
      return value === undefined ? 'null' : write(value);
    };
    const old = text(before);
    if (old !== text(after)) members.push(`"${name}":${old}`);
  }
  return `{${members.join(',')}}`;
}
