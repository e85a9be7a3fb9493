import { SlipwayError } from '../../platform/kinds/errors.js';
import { ConnectionPage, type ConnectionSearch, queryOf } from './connection-page.js';
import { mergeDependencies, versionsOf } from './cached-text.js';
import { writeFigures } from './figure-writer.js';
import { objectText } from './json-object.js';
import { createPageTexts } from './page-texts.js';
import type { ReadContext } from './read-context.js';
import { readReferringRows } from './reverse-references.js';
import { atField } from './graph-errors.js';
import { memberOf, misplaced, type RowsWork, type RowWriter, type Source } from './row-writer.js';
import type { Cursors } from './view.js';
import type { PlannedField, Work } from './planned-field.js';

export interface ConnectionWriterOptions {
  cursors: Cursors;
  writer: Pick<RowWriter, 'cachedRows' | 'writeRows'>;
}

/** Writes pages of rows as JSON text, with cursors where the query selects them. */
export function createConnectionWriter({ cursors, writer }: ConnectionWriterOptions) {
  const pageTexts = createPageTexts();

  /** @throws page.token_mismatch, page.token_expired at the field */
  async function writeSearch(reading: ReadContext, field: PlannedField): Promise<string> {
    const work = rowsOf(field);
    const { view, search } = work;
    const after = search.after === undefined ? undefined : await openCursor(cursors, field, { work });
    const { filter, order, size } = search;
    // Member by member: spreading objects of several shapes is slow to create and slow to read.
    const found = await view.pages.page({ filter, order, size, index: view.index, version: view.version, after });
    const [text = 'null'] = await writePages(reading, field, [new ConnectionPage(cursors, { work }, found)]);
    return text;
  }

  /** Writes for each of these rows the page of rows that refer to it. @throws as `writeSearch` */
  async function writeReferring(reading: ReadContext, field: PlannedField, objects: readonly Source[]) {
    const work = rowsOf(field);
    const { view, search, leaf } = work;
    const { index, rows, version } = view;
    if (leaf === undefined) throw new SlipwayError('internal', 'rows without a reference to follow');
    const targets = objects.map((object) => BigInt(String(memberOf(object, 'id'))));
    let after: bigint | undefined;
    for (const target of search.after === undefined ? [] : targets)
      after = await openCursor(cursors, field, { work, target });
    const found = await readReferringRows({ ...search, index, rows, version, leaf, targets, after });
    const pages = found.map((page, at) => new ConnectionPage(cursors, { work, target: targets[at] }, page));
    return writePages(reading, field, pages);
  }

  /** Writes the pages of one level: the rows of all of them are written together. */
  async function writePages(reading: ReadContext, { members }: PlannedField, pages: readonly ConnectionPage[]) {
    const columns = await Promise.all(members.map((member) => writePageField(reading, member, pages)));
    return pages.map((_, at) => objectText(members, (index) => columns[index]?.[at]));
  }

  async function writePageField(
    reading: ReadContext,
    field: PlannedField,
    pages: readonly ConnectionPage[],
  ): Promise<readonly string[]> {
    const { work, members: fields } = field;
    if (work.kind === 'nodes') return writeNodes(reading, field, pages);
    if (work.kind === 'edges') {
      const nodes = await Promise.all(
        fields.map(async (each) => (each.work.kind === 'node' ? writeAll(reading, each, pages) : undefined)),
      );
      return pages.map((page, at) => {
        const edges = page.rows.map((row, place) =>
          objectText(fields, (index) => nodes[index]?.[at]?.[place] ?? writeEdgeField(fields[index]?.work, page, row)),
        );
        return `[${edges.join(',')}]`;
      });
    }
    if (work.kind === 'page_info') {
      return pages.map((page) => objectText(fields, (index) => writePageInfo(fields[index]?.work, page)));
    }
    if (work.kind === 'page') return pages.map((page) => work.write(page));
    if (work.kind === 'facets' || work.kind === 'aggregates') {
      const texts: string[] = [];
      for (const page of pages) texts.push(await writeFigures(work, field, page));
      return texts;
    }
    if (work.kind === 'typename') return pages.map(() => work.text);
    throw misplaced(work, 'a page');
  }

  async function writeNodes(reading: ReadContext, field: PlannedField, pages: readonly ConnectionPage[]) {
    const { members: fields, reach } = field;
    const [page, other] = pages;
    if (page === undefined || other !== undefined || reach === undefined) {
      return (await writeAll(reading, field, pages)).map((texts) => `[${texts.join(',')}]`);
    }
    const { rows, isRepeated } = page;
    const seen = versionsOf(reading, reach);
    const known = isRepeated ? pageTexts.get(rows, fields, seen) : undefined;
    if (known !== undefined) return [known];
    const showing = { members: fields, reach, view: page.view };
    const written =
      writer.cachedRows(reading, showing, rows) ?? (await writer.writeRows(reading, showing, rows)).written;
    const text = `[${written.map((each) => each.text).join(',')}]`;
    // Cached from the second request on: a page requested once is not worth the memory.
    if (isRepeated)
      pageTexts.set(rows, { fields, seen, text, reads: mergeDependencies(written.map(({ reads }) => reads)) });
    return [text];
  }

  /** Writes the rows of each of these pages; a row on several pages is written once. */
  async function writeAll(reading: ReadContext, field: PlannedField, pages: readonly ConnectionPage[]) {
    const [page] = pages;
    if (page === undefined) return [];
    const numbers = [...new Set(pages.flatMap(({ rows }) => rows))];
    const { written } = await writer.writeRows(reading, { ...field, view: page.view }, numbers);
    const textOf = new Map(numbers.map((row, at) => [row, written[at]?.text]));
    return pages.map(({ rows }) => rows.map((row) => textOf.get(row)));
  }

  return { writeSearch, writeReferring };
}

function rowsOf({ work }: PlannedField): RowsWork {
  if (work.kind !== 'rows') throw misplaced(work, 'a search');
  return work;
}

function writePageInfo(work: Work | undefined, page: ConnectionPage): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'page_info_member' ? work.write(page) : undefined;
}

function writeEdgeField(work: Work | undefined, page: ConnectionPage, row: number): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'cursor' ? JSON.stringify(page.cursorAt(row)) : undefined;
}

/** Opens the cursor of a search. @returns the id of the row that it follows */
async function openCursor(cursors: Cursors, field: PlannedField, searched: ConnectionSearch): Promise<bigint> {
  const { view, search } = searched.work;
  const { generation } = view.index.declaration;
  const query = queryOf(cursors, searched);
  try {
    return (await cursors.open(search.after ?? '', { query, dataset: view.name, generation })).after;
  } catch (cause) {
    return atField(field, () => {
      throw cause;
    });
  }
}
