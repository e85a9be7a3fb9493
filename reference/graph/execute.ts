import { SlipwayError } from '../../resources/errors.js';
import { canonicalText } from '../filter/index.js';
import { lookUp } from '../look-up.js';
import type { LookupHit } from '../lookup/lookup-index.js';
import { orderText } from '../order.js';
import type { DatasetState, PageFacts } from './meaning.js';
import type { Plan } from './plan.js';
import { readReferring, type ReferringRows, referringFilter } from './referring.js';
import { located } from './refusals.js';
import {
  createRowWriter,
  memberOf,
  misplaced,
  type RowsWork,
  type RowWriterOptions,
  type Showing,
  type Source,
} from './row-writer.js';
import type { Cursors, DatasetView } from './view.js';
import type { Planned, Work } from './work.js';

export interface Execution extends Pick<RowWriterOptions, 'rowOf' | 'viewOf'> {
  cursors: Cursors;
  /** Of every dataset. */
  states: readonly DatasetState[];
  /** Answers of the fields of introspection, as JSON text by response name. */
  introspected: ReadonlyMap<string, string>;
}

/** A page of rows of one dataset. */
interface Page extends PageFacts {
  view: DatasetView;
  rows: readonly number[];
  cursorAt: (row: number) => string;
}

/**
 * Answers a plan level by level: all rows of a level are read together, whatever fields above ask for them, and each row
 * that is met several times is written once.
 * @returns the text of `data`
 * @throws GraphQLError at the field whose cursor does not fit; nothing is answered in part
 */
export async function execute({ members }: Plan, execution: Execution): Promise<string> {
  const { cursors, rowOf, viewOf, states, introspected } = execution;

  const { writeRows, writeIds } = createRowWriter({ rowOf, viewOf, writeReferring });

  async function writeReferring(field: Planned, work: RowsWork, objects: readonly Source[]): Promise<string[]> {
    const { view, search, leaf } = work;
    const { index, rows, version } = view;
    if (leaf === undefined) throw new SlipwayError('internal', 'rows without a way to them');
    const targets = objects.map((object) => BigInt(String(memberOf(object, 'id'))));
    const queries = targets.map((target) => () => queryOf(work, referringFilter(leaf, target, search.filter)));
    let behind: bigint | undefined;
    for (const query of search.after === undefined ? [] : queries) behind = await openCursor(field, work, query());
    const pages = await readReferring({ ...search, index, rows, version, leaf, targets, after: behind });
    return writeConnections(
      field.members,
      view,
      pages.map((page, at) => toPage(work, page, () => queries[at]?.() ?? '')),
    );
  }

  async function writeSearch(field: Planned, work: RowsWork): Promise<string> {
    const { view, search } = work;
    const query = () => queryOf(work, search.filter);
    const after = search.after === undefined ? undefined : await openCursor(field, work, query());
    const page = await view.pages.page({ ...search, index: view.index, version: view.version, after });
    const [text = 'null'] = await writeConnections(field.members, view, [toPage(work, page, query)]);
    return text;
  }

  const queryOf = ({ view, search }: RowsWork, filter: RowsWork['search']['filter']): string =>
    cursors.queryOf({
      dataset: view.name,
      filter: filter === undefined ? undefined : canonicalText(filter),
      order: orderText(search.order),
    });

  async function openCursor(field: Planned, { view, search }: RowsWork, query: string): Promise<bigint> {
    const { generation } = view.index.declaration;
    try {
      const place = await cursors.open(search.after ?? '', { query, dataset: view.name, generation });
      return place.after;
    } catch (cause) {
      return located(field, () => {
        throw cause;
      });
    }
  }

  function toPage({ view, search }: RowsWork, { rows, hasMore, total }: ReferringRows, query: () => string): Page {
    const { version, index } = view;
    const { generation } = index.declaration;
    const cursorAt = (row: number) => cursors.seal({ query: query(), version, generation, after: view.rows.id(row) });
    const cursorOf = (end: 'first' | 'last'): string | null => {
      const row = rows.at(end === 'first' ? 0 : -1);
      return row === undefined ? null : cursorAt(row);
    };
    return { view, rows, hasMore, total, version, hasPrevious: search.after !== undefined, cursorAt, cursorOf };
  }

  /** The pages of one level: the rows of all of them are written together. */
  async function writeConnections(fields: readonly Planned[], view: DatasetView, pages: readonly Page[]) {
    const columns = await Promise.all(fields.map((field) => writeConnectionField(field, view, pages)));
    return pages.map((_, at) => joined(fields, (index) => columns[index]?.[at]));
  }

  async function writeConnectionField(
    field: Planned,
    view: DatasetView,
    pages: readonly Page[],
  ): Promise<readonly string[]> {
    const { work, members: fields } = field;
    if (work.kind === 'nodes') {
      return (await writeAll(view, field, pages)).map((texts) => `[${texts.join(',')}]`);
    }
    if (work.kind === 'edges') {
      const nodes = await Promise.all(
        fields.map(async (each) => (each.work.kind === 'node' ? writeAll(view, each, pages) : undefined)),
      );
      return pages.map((page, at) => {
        const edges = page.rows.map((row, place) =>
          joined(fields, (index) => nodes[index]?.[at]?.[place] ?? writeEdgeField(fields[index]?.work, page, row)),
        );
        return `[${edges.join(',')}]`;
      });
    }
    if (work.kind === 'page_info') {
      return pages.map((page) => joined(fields, (index) => writePageInfo(fields[index]?.work, page)));
    }
    if (work.kind === 'page') return pages.map(work.write);
    if (work.kind === 'typename') return pages.map(() => work.text);
    throw misplaced(work, 'a page');
  }

  /** The rows of each of these pages; one that stands on several is written once. */
  async function writeAll(view: DatasetView, field: Showing, pages: readonly Page[]) {
    const [page, other] = pages;
    if (page !== undefined && other === undefined) return [await writeRows(view, field, page.rows)];
    const numbers = [...new Set(pages.flatMap(({ rows }) => rows))];
    const texts = await writeRows(view, field, numbers);
    const textOf = new Map(numbers.map((row, at) => [row, texts[at]]));
    return pages.map(({ rows }) => rows.map((row) => textOf.get(row)));
  }

  async function writeHits(
    fields: readonly Planned[],
    { view, lookup }: Extract<Work, { kind: 'lookup' }>,
  ): Promise<string> {
    const { hits } = await lookUp(view, { ...lookup, version: view.version });
    const found = hits.map(({ row }) => row);
    const nodes = await Promise.all(
      fields.map(async (field) => (field.work.kind === 'node' ? writeRows(view, field, found) : undefined)),
    );
    const texts = hits.map((hit, at) =>
      joined(fields, (index) => nodes[index]?.[at] ?? writeMatch(fields[index]?.work, hit)),
    );
    return `[${texts.join(',')}]`;
  }

  async function writeRoot(field: Planned): Promise<string> {
    const { work } = field;
    if (work.kind === 'rows') return writeSearch(field, work);
    if (work.kind === 'ids') {
      const ids = work.ids.map(String);
      const written = ids.map(await writeIds(work.view, field, ids));
      return work.list ? `[${written.join(',')}]` : (written[0] ?? 'null');
    }
    if (work.kind === 'lookup') return writeHits(field.members, work);
    if (work.kind === 'datasets') {
      const fields = field.members;
      const written = states.map((state) => joined(fields, (index) => writeState(fields[index]?.work, state)));
      return `[${written.join(',')}]`;
    }
    if (work.kind === 'introspection') return introspected.get(field.path[0] ?? '') ?? 'null';
    if (work.kind === 'typename') return work.text;
    throw misplaced(work, 'a query');
  }

  const texts = await Promise.all(members.map(writeRoot));
  return joined(members, (index) => texts[index]);
}

const joined = (fields: readonly Planned[], textOf: (index: number) => string | undefined): string =>
  `{${fields.map(({ prefix }, index) => `${prefix}${textOf(index) ?? 'null'}`).join(',')}}`;

function writePageInfo(work: Work | undefined, page: Page): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'page_info_member' ? work.write(page) : undefined;
}

function writeEdgeField(work: Work | undefined, page: Page, row: number): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'cursor' ? JSON.stringify(page.cursorAt(row)) : undefined;
}

function writeMatch(work: Work | undefined, hit: LookupHit): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'match' ? work.write(hit) : undefined;
}

function writeState(work: Work | undefined, state: DatasetState): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'dataset_state' ? work.write(state) : undefined;
}
