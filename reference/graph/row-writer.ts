import { isRecord } from '../../resources/lenient.js';
import { SlipwayError } from '../../resources/errors.js';
import { toGraphError } from './refusals.js';
import type { CachedRow } from './row-cache.js';
import type { DatasetView } from './view.js';
import type { Planned, Work } from './work.js';

/** A field that shows rows. */
export type Showing = Pick<Planned, 'members' | 'reach'>;

/** A row as it is stored, or an object in one. */
export type Source = Readonly<Record<string, unknown>>;

export type RowsWork = Extract<Work, { kind: 'rows' }>;

export interface RowWriterOptions {
  rowOf: (view: DatasetView, row: number) => CachedRow;
  viewOf: (dataset: string) => DatasetView;
  /** Pages of the rows that refer to each of these. */
  writeReferring: (field: Planned, work: RowsWork, objects: readonly Source[]) => Promise<string[]>;
}

/** Writes the rows of a level as JSON text, with all that they refer to: each row once, whatever fields ask for it. */
export function createRowWriter({ rowOf, viewOf, writeReferring }: RowWriterOptions) {
  /** For each of these rows its object, as JSON text. */
  async function writeObjects(fields: readonly Planned[], objects: readonly Source[]): Promise<string[]> {
    const columns = await Promise.all(fields.map(async (field) => writeField(field, objects)));
    return objects.map((_, at) => {
      let text = '';
      fields.forEach(
        ({ prefix }, field) => (text += `${text === '' ? '' : ','}${prefix}${columns[field]?.[at] ?? 'null'}`),
      );
      return `{${text}}`;
    });
  }

  /** For each of these rows the members of the field that shows them; those that were written before are not again. */
  async function writeRows(view: DatasetView, { members: fields, reach }: Showing, numbers: readonly number[]) {
    const entries = numbers.map((row) => rowOf(view, row));
    const views = reach?.map(viewOf);
    if (views === undefined) {
      return writeObjects(
        fields,
        entries.map(({ row }) => row),
      );
    }
    const texts = entries.map(({ texts: kept }) => kept.get(fields, views));
    const missing = entries.filter((_, at) => texts[at] === undefined);
    if (missing.length === 0) return texts;
    const written = await writeObjects(
      fields,
      missing.map(({ row }) => row),
    );
    missing.forEach(({ texts: kept }, at) => kept.set(fields, views, written[at] ?? 'null'));
    let next = 0;
    return texts.map((text) => text ?? written[next++]);
  }

  /** The field of each of these objects, as JSON text. */
  function writeField(field: Planned, objects: readonly Source[]): readonly string[] | Promise<readonly string[]> {
    const { work } = field;
    if (work.kind === 'value') {
      return objects.map((object) => {
        const value = memberOf(object, work.member);
        if (value === undefined && work.required) throw toGraphError(notOfDeclaration(work.member), field);
        return work.write(value);
      });
    }
    if (work.kind === 'reference') return writeReferences(field, work, objects);
    if (work.kind === 'rows') return writeReferring(field, work, objects);
    if (work.kind === 'object') return writeMembers(field, objects, work.member);
    if (work.kind === 'typename') return objects.map(() => work.text);
    throw misplaced(work, 'a row');
  }

  async function writeMembers(field: Planned, objects: readonly Source[], member: string): Promise<string[]> {
    const held = objects
      .map((object) => memberOf(object, member))
      .map((value) => (isRecord(value) ? value : undefined));
    const present = held.filter((value) => value !== undefined);
    const texts = await writeObjects(field.members, present);
    let next = 0;
    return held.map((value) => (value === undefined ? 'null' : (texts[next++] ?? 'null')));
  }

  /** All references of a level in one read. */
  async function writeReferences(
    field: Planned,
    { dataset, member, list }: Extract<Work, { kind: 'reference' }>,
    objects: readonly Source[],
  ): Promise<string[]> {
    const held = objects.map((object) => idsOf(memberOf(object, member)));
    const textOf = await writeIds(viewOf(dataset), field, held.flat());
    if (list) return held.map((ids) => `[${ids.map(textOf).join(',')}]`);
    return held.map(([id]) => (id === undefined ? 'null' : textOf(id)));
  }

  /** Reads rows by id, each once. @returns the text of each, `null` for an id that no row has */
  async function writeIds(view: DatasetView, field: Showing, ids: readonly string[]) {
    const { rows, version } = view;
    const places = new Map<string, number>();
    const found: number[] = [];
    for (const id of ids) {
      if (places.has(id)) continue;
      const row = rows.findAt(BigInt(id), version);
      const isThere = row >= 0 && !rows.isDeleted(row);
      places.set(id, isThere ? found.length : -1);
      if (isThere) found.push(row);
    }
    const texts = await writeRows(view, field, found);
    return (id: string): string => texts[places.get(id) ?? -1] ?? 'null';
  }

  return { writeRows, writeIds };
}

export const memberOf = (object: Source, member: string): unknown =>
  Object.hasOwn(object, member) ? object[member] : undefined;

/** Of a reference, or of a list of them. */
function idsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsOf);
  return isRecord(value) ? [String(value.id)] : [];
}

/** The plan follows the schema, which has no such field there. */
export const misplaced = ({ kind }: Work, place: string): SlipwayError =>
  new SlipwayError('internal', `${kind} is no field of ${place}`);

/** Where a pin shows rows that are older than the declaration in force. */
const notOfDeclaration = (member: string): SlipwayError =>
  new SlipwayError('dataset.schema_conflict', `the version that is read has rows without ${member}`);
