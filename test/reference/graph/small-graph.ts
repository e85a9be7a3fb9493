import { GraphQLError } from 'graphql';
import { createDatasetIndex } from '../../../reference/dataset/dataset-index.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createPages } from '../../../reference/dataset/page.js';
import {
  createAnswerGraph,
  createDocuments,
  createGraphSchema,
  createRowCache,
  type Cursors,
  type DatasetView,
} from '../../../reference/graph/index.js';
import { readRow } from '../../../reference/rows/row.js';
import { createRowStore } from '../../../reference/rows/row-store.js';
import { rowWriterOf } from '../../../reference/rows/row-validation.js';

/** The code of a refusal: ours, or `graphql` for one that the library words. */
export const codeOf = ({ originalError, extensions }: GraphQLError): unknown =>
  (originalError as { code?: string } | undefined)?.code ?? extensions.code ?? 'graphql';

export const TIME = '2026-01-01T00:00:00.000Z';

export const SPECS = {
  places: DatasetSpec.parse({
    fields: {
      name: { type: 'text', required: true },
      parent: { type: 'ref', dataset: 'places' },
      kind: { type: 'enum', values: ['big city', 'town'] },
    },
    lookup: { fields: ['name'] },
  }),
  people: DatasetSpec.parse({
    fields: {
      name: { type: 'text' },
      age: { type: 'integer' },
      rate: { type: 'decimal' },
      home: { type: 'ref', dataset: 'places' },
      visited: { type: 'list', of: { type: 'ref', dataset: 'places' } },
      tags: { type: 'list', of: { type: 'text' } },
      work: { type: 'object', fields: { place: { type: 'ref', dataset: 'places' }, open: { type: 'boolean' } } },
    },
  }),
};
export type Name = keyof typeof SPECS;
export type Given = Record<Name, ReadonlyMap<bigint, Record<string, unknown>>>;

/** Cursors in plain JSON, bound to their search as sealed ones are. */
const cursors: Cursors = {
  queryOf: (search) => JSON.stringify(search),
  seal: ({ after, ...place }) => JSON.stringify({ ...place, after: String(after) }),
  versionOf: async (cursor) => (JSON.parse(cursor) as { version: number }).version,
  open: async (cursor, { query }) => {
    const place = JSON.parse(cursor) as { query: string; version: number; generation: number; after: string };
    if (place.query !== query) throw new Error('the cursor belongs to another search');
    return { ...place, after: BigInt(place.after) };
  },
};

type Rows = ReadonlyMap<bigint, Record<string, unknown>>;

/** A graph over places and people; `set` writes a row, and the next question sees it. */
export const createSmallGraph = (given: Given) => createGraphOf(SPECS, given);

/** A graph over rows in memory of these datasets. */
export async function createGraphOf(
  specs: Readonly<Record<string, DatasetSpec>>,
  given: Readonly<Record<string, Rows>> = {},
) {
  const views = new Map<string, DatasetView>();
  const sets = new Map<string, (id: bigint, row: Record<string, unknown> | undefined) => void>();
  for (const [name, spec] of Object.entries(specs)) {
    const rows = createRowStore();
    const index = createDatasetIndex(rows);
    const declaration = { spec, generation: 1, position: 1, at: TIME, actor: 'test' };
    await index.build(declaration);
    const built = index.built;
    if (built === undefined) throw new Error('the index was built');
    const view = { name, rows, pages: createPages(rows), index: built, version: 1, asOf: TIME };
    views.set(name, view);
    const set = (id: bigint, row: Record<string, unknown> | undefined): void => {
      const read = readRow(spec, row ?? { name: 'gone' });
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      view.version += 1;
      const body = rowWriterOf(spec)({
        id,
        version: view.version,
        created_at: TIME,
        updated_at: TIME,
        content: read.content,
      });
      const bytes = Buffer.from(row === undefined ? TIME : body);
      index.added(
        rows.add({ id, version: view.version, from: view.version, bytes, deleted: row === undefined }),
        row === undefined ? null : body,
      );
    };
    sets.set(name, set);
    for (const [id, row] of given[name] ?? []) set(id, row);
  }
  const graph = createGraphSchema(Object.entries(specs).map(([name, spec]) => ({ name, spec })));
  const documents = createDocuments();
  const caches = new Map([...views].map(([name, { rows }]) => [name, createRowCache(rows)]));
  const answer = createAnswerGraph({
    cursors,
    rowsOf: ({ name }) => caches.get(name) ?? createRowCache(createRowStore()),
  });
  async function answerTo(text: string, variables: Record<string, unknown>, operationName?: string) {
    const document = documents.parse(text);
    const [error] = documents.validate(graph.schema, document);
    if (error !== undefined) throw error;
    const viewOf = (name: string): DatasetView => ({ ...(views.get(name) ?? fail(name)) });
    return answer({ graph, document, operationName, variables, viewOf });
  }
  async function ask(text: string, variables: Record<string, unknown> = {}, operationName?: string) {
    const { data, cost, versions } = await answerTo(text, variables, operationName);
    return { data: JSON.parse(data) as Record<string, unknown>, cost, versions };
  }
  /** The refusal of a question. */
  async function refused(text: string, variables: Record<string, unknown> = {}): Promise<GraphQLError> {
    try {
      await ask(text, variables);
    } catch (err) {
      if (err instanceof GraphQLError) return err;
      throw err;
    }
    throw new Error(`${text} was answered`);
  }
  return {
    ask,
    /** The text of an answer, with all digits. */
    text: async (text: string) => (await answerTo(text, {})).data,
    refused,
    graph,
    documents,
    views,
    set: (name: string, id: bigint, row?: Record<string, unknown>) => sets.get(name)?.(id, row),
  };
}

const fail = (name: string): never => {
  throw new Error(`no dataset ${name}`);
};
