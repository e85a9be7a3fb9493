import { isRecord } from '../../platform/kinds/lenient.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { compileTextRule } from '../filter/rule.js';
import { flatObjectText } from './json-object.js';
import { NO_DEPENDENCIES, type Dependencies, mergeDependencies, versionsOf, type RowText } from './cached-text.js';
import { type ReadContext, viewOf } from './read-context.js';
import { toGraphError } from './graph-errors.js';
import type { CachedRow } from './row-cache.js';
import type { DatasetView } from './view.js';
import type { PlannedField, Work } from './planned-field.js';

/** A field that selects rows. */
export type RowSelection = Pick<PlannedField, 'members' | 'reach'>;

type ViewSelection = RowSelection & { view: DatasetView };

/** A stored row, or an object in one. */
export type Source = Readonly<Record<string, unknown>>;
type Objects = readonly Source[];
type Fields = readonly PlannedField[];

export type RowsWork = Extract<Work, { kind: 'rows' }>;

/** JSON texts of a level, in the order of its objects. */
export interface Column {
  texts: readonly string[];
  /** Dependencies of each text; absent when no text depends on another row. */
  reads?: readonly Dependencies[];
}

/** Rows, and the text written for each. */
export interface RowTexts {
  entries: readonly CachedRow[];
  written: readonly RowText[];
}

export interface RowWriterOptions {
  /** The rows of a dataset, by number. */
  rowsOf: (view: DatasetView) => (row: number) => CachedRow;
  /** Writes pages of the rows that refer to each of these. */
  writeReferring: (reading: ReadContext, field: PlannedField, objects: readonly Source[]) => Promise<readonly string[]>;
}

export type RowWriter = ReturnType<typeof createRowWriter>;

/** Writes the rows of a level as JSON text, with all references resolved: each row once, whatever fields select it. */
export function createRowWriter({ rowsOf, writeReferring }: RowWriterOptions) {
  /** Writes the object of each of these rows. */
  async function writeObjects(reading: ReadContext, fields: Fields, objects: Objects): Promise<Column> {
    const columns = await Promise.all(fields.map((field) => writeField(reading, field, objects)));
    const texts = objects.map((_, at) => flatObjectText(fields, (field) => columns[field]?.texts[at]));
    const read = columns.flatMap(({ reads }) => (reads === undefined ? [] : [reads]));
    if (read.length === 0) return { texts };
    return { texts, reads: objects.map((_, at) => mergeDependencies(read.map((reads) => reads[at]))) };
  }

  const cachedRows = (reading: ReadContext, selection: ViewSelection, numbers: readonly number[]) =>
    cachedTexts(rowsOf(selection.view), { reading, selection, numbers });

  /** Writes the selected members of each of these rows; cached texts are reused. */
  async function writeRows(
    reading: ReadContext,
    { view, members: fields, reach }: ViewSelection,
    numbers: readonly number[],
  ): Promise<RowTexts> {
    const rowOf = rowsOf(view);
    const entries = numbers.map((row) => rowOf(row));
    const seen = reach === undefined ? [] : versionsOf(reading, reach);
    const kept = reach === undefined ? [] : entries.map((entry) => entry.textOf(fields, seen));
    const missing = entries.filter((_, at) => kept[at] === undefined);
    const values = missing.map((entry) => entry.values);
    const { texts: made, reads } = await writeObjects(reading, fields, values);
    let next = 0;
    const written = entries.map((entry, at) => {
      const before = kept[at];
      if (before !== undefined) return before;
      const now = { text: made[next] ?? 'null', reads: reads === undefined ? NO_DEPENDENCIES : reads[next] };
      next += 1;
      if (reach !== undefined) entry.keep(fields, seen, now);
      return now;
    });
    return { entries, written };
  }

  /** Writes one field of each of these objects. */
  async function writeField(reading: ReadContext, field: PlannedField, objects: readonly Source[]): Promise<Column> {
    const { work } = field;
    if (work.kind === 'value') return { texts: objects.map((object) => writeValue(field, work, object)) };
    if (work.kind === 'reference') return writeReferences(reading, field, objects);
    if (work.kind === 'rows') return { texts: await writeReferring(reading, field, objects) };
    if (work.kind === 'object') return writeMembers(reading, field, objects);
    if (work.kind === 'typename') return { texts: objects.map(() => work.text) };
    throw misplaced(work, 'a row');
  }

  async function writeMembers(reading: ReadContext, field: PlannedField, objects: readonly Source[]): Promise<Column> {
    const { work, members: fields } = field;
    if (work.kind !== 'object') throw misplaced(work, 'an object');
    const held = objects
      .map((object) => memberOf(object, work.member))
      .map((value) => (isRecord(value) ? value : undefined));
    const present = held.filter((value) => value !== undefined);
    const { texts, reads } = await writeObjects(reading, fields, present);
    let next = 0;
    const indexes = held.map((value) => (value === undefined ? -1 : next++));
    return {
      texts: indexes.map((at) => texts[at] ?? 'null'),
      ...(reads !== undefined && { reads: indexes.map((at) => (at < 0 ? NO_DEPENDENCIES : reads[at])) }),
    };
  }

  /** Resolves all references of a level in one read. */
  async function writeReferences(
    reading: ReadContext,
    field: PlannedField,
    objects: readonly Source[],
  ): Promise<Column> {
    const { work } = field;
    if (work.kind !== 'reference') throw misplaced(work, 'a reference');
    const { dataset, member, list } = work;
    const held = objects.map((object) => idsOf(memberOf(object, member)));
    const { textOf, readsOf } = await writeIds(
      reading,
      { members: field.members, reach: field.reach, view: viewOf(reading, dataset) },
      held.flat(),
    );
    return {
      texts: held.map((ids) => (list ? `[${ids.map(textOf).join(',')}]` : textOf(ids[0]))),
      reads: held.map((ids) => mergeDependencies(ids.map(readsOf))),
    };
  }

  /** Reads rows by id, each once. @returns the text of each, `null` for an id without a row */
  async function writeIds(reading: ReadContext, field: ViewSelection, ids: readonly string[]) {
    const { indexOf, found } = locate(field.view, ids);
    const { entries, written } = await writeRows(reading, field, found);
    const reads = entries.map(({ state }, at) => mergeDependencies([[state], written[at]?.reads]));
    return {
      textOf: (id: string | undefined): string => written[indexOf.get(id ?? '') ?? -1]?.text ?? 'null',
      readsOf: (id: string): Dependencies => reads[indexOf.get(id) ?? -1],
    };
  }

  return { cachedRows, writeRows, writeIds };
}

interface CachedRows {
  reading: ReadContext;
  selection: RowSelection;
  numbers: readonly number[];
}

/** Returns the cached texts of all of these rows; undefined when any is missing. */
function cachedTexts(rowOf: (row: number) => CachedRow, { reading, selection, numbers }: CachedRows) {
  const { members: fields, reach } = selection;
  if (reach === undefined) return undefined;
  const seen = versionsOf(reading, reach);
  const cached: RowText[] = [];
  for (const row of numbers) {
    const text = rowOf(row).textOf(fields, seen);
    if (text === undefined) return undefined;
    cached.push(text);
  }
  return cached;
}

/** Finds the visible rows of ids, each once, with the index of each id in them; -1 for an id without a row. */
function locate({ rows, version, rule }: DatasetView, ids: readonly string[]) {
  const sees = rule && compileTextRule(rule);
  const indexOf = new Map<string, number>();
  const found: number[] = [];
  for (const id of ids) {
    if (indexOf.has(id)) continue;
    const row = rows.findAt(BigInt(id), version);
    const isThere = row >= 0 && !rows.isDeleted(row) && (sees === undefined || sees(rows.bytes(row).toString()));
    indexOf.set(id, isThere ? found.length : -1);
    if (isThere) found.push(row);
  }
  return { indexOf, found };
}

function writeValue(field: PlannedField, work: Extract<Work, { kind: 'value' }>, object: Source): string {
  const value = memberOf(object, work.member);
  if (value === undefined && work.required) throw toGraphError(notOfDeclaration(work.member), field);
  return work.write(value);
}

export const memberOf = (object: Source, member: string): unknown =>
  Object.hasOwn(object, member) ? object[member] : undefined;

/** Returns the id of a reference, or the ids of a list of references. */
function idsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsOf);
  return isRecord(value) ? [String(value.id)] : [];
}

/** Creates the error for a plan that does not follow the schema. */
export const misplaced = ({ kind }: Work, place: string): SlipwayError =>
  new SlipwayError('internal', `${kind} is no field of ${place}`);

/** Creates the error for a pinned version whose rows are older than the declaration in force. */
const notOfDeclaration = (member: string): SlipwayError =>
  new SlipwayError('dataset.schema_conflict', `the version that is read has rows without ${member}`);
