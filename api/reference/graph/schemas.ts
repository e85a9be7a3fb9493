import { type GraphQLError, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { BuiltIndex } from '../../../reference/dataset-index.js';
import {
  createGraphSchema,
  createRowCache,
  type DatasetView,
  type Documents,
  type GraphDocument,
  type GraphSchema,
} from '../../../reference/graph/index.js';
import { SlipwayError } from '../../../resources/errors.js';
import { covers } from '../../../resources/scope.js';
import type { Datasets } from '../../../stores/datasets.js';
import type { LiveDataset } from '../../../stores/live-dataset.js';
import { requireScope } from '../credentials.js';
import type { Client } from '../state.js';

/** What one caller may read, as of one moment. */
export interface Readable {
  graph: GraphSchema;
  views: ReadonlyMap<string, DatasetView>;
}

interface Known {
  graph: GraphSchema;
  indexes: readonly BuiltIndex[];
}

/** Callers with the same rights share a schema. */
const MOST_SCHEMAS = 50;

/** The schemas of the datasets as they are declared now, one for each set of them that some caller may read. */
export function createGraphSchemas({ datasets, documents }: { datasets: Datasets; documents: Documents }) {
  const known = new LRUCache<string, Known>({ max: MOST_SCHEMAS });
  const rowCaches = new WeakMap<LiveDataset['replica']['rows'], ReturnType<typeof createRowCache>>();

  function graphOf(live: readonly LiveDataset[], indexes: readonly BuiltIndex[]): GraphSchema {
    const key = live.map(({ name }) => name).join();
    const found = known.get(key);
    if (found !== undefined && indexes.every((index, at) => index === found.indexes[at])) return found.graph;
    const specs = live.map(({ name }, at) => ({ name, spec: indexes[at]?.declaration.spec }));
    const graph = createGraphSchema(specs.flatMap(({ name, spec }) => (spec === undefined ? [] : [{ name, spec }])));
    known.set(key, { graph, indexes });
    return graph;
  }

  /** Those that can be searched just now. */
  function searchable(may: (name: string) => boolean) {
    const live: LiveDataset[] = [];
    const indexes: BuiltIndex[] = [];
    for (const dataset of datasets.all()) {
      const index = dataset.isReady && dataset.replica.declaration !== undefined ? dataset.index?.built : undefined;
      if (index === undefined || !may(dataset.name)) continue;
      live.push(dataset);
      indexes.push(index);
    }
    return { live, indexes };
  }

  return {
    readableBy({ scopes }: Client): Readable {
      const { live, indexes } = searchable((name) => covers(scopes, `data:read:${name}`));
      const views = live.flatMap((dataset, at): [string, DatasetView][] => {
        const index = indexes[at];
        return index === undefined ? [] : [[dataset.name, viewOf(dataset, index)]];
      });
      return { graph: graphOf(live, indexes), views: new Map(views) };
    },

    /** What a document begins with, of all that the caller may read. */
    namedIn(document: GraphDocument, { scopes }: Client): { first: LiveDataset[]; known: LiveDataset[] } {
      const { live, indexes } = searchable((name) => covers(scopes, `data:read:${name}`));
      const names = new Set<string>();
      eachDataset(graphOf(live, indexes), document, (name, parent) => {
        if (parent === 'Query') names.add(name);
      });
      return { first: live.filter(({ name }) => names.has(name)), known: live };
    },

    /**
     * What is wrong with a document for what the caller may read.
     * @throws auth.scope when it is valid but for datasets that the caller may not read; replica.loading while it may be
     *   valid a moment later
     */
    validate({ graph }: Readable, document: GraphDocument, client: Client): readonly GraphQLError[] {
      const errors = documents.validate(graph.schema, document);
      if (errors.length === 0) return errors;
      const all = searchable(() => true);
      requireScopes(graphOf(all.live, all.indexes), document, client);
      const loading = datasets
        .all()
        .find(
          ({ isReady, replica, index }) =>
            !isReady || (replica.declaration !== undefined && index?.built === undefined),
        );
      if (loading !== undefined) {
        throw new SlipwayError('replica.loading', `dataset "${loading.name}" is being loaded`);
      }
      return errors;
    },

    rowOf: ({ rows }: DatasetView, row: number) => {
      const read = rowCaches.get(rows) ?? createRowCache(rows);
      rowCaches.set(rows, read);
      return read(row);
    },
  };
}
export type GraphSchemas = ReturnType<typeof createGraphSchemas>;

const viewOf = ({ name, replica, pages }: LiveDataset, index: BuiltIndex): DatasetView => ({
  name,
  rows: replica.rows,
  pages,
  index,
  version: replica.visible,
  asOf: replica.pin?.asOf ?? replica.newestAt,
});

/** @throws auth.scope for the first dataset that the document reads and the caller may not */
const requireScopes = (graph: GraphSchema, document: GraphDocument, client: Client): void =>
  eachDataset(graph, document, (name) => requireScope(client, `data:read:${name}`));

/** Calls back with the dataset of each field that reads one, and the type that the field is of. */
function eachDataset(
  { schema, fieldOf }: GraphSchema,
  { document }: GraphDocument,
  visitDataset: (name: string, parent: string) => void,
): void {
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: ({ name }) => {
        const parent = types.getParentType()?.name ?? '';
        const meaning = fieldOf(parent, name.value)?.meaning;
        if (meaning !== undefined && 'dataset' in meaning) visitDataset(meaning.dataset, parent);
      },
    }),
  );
}
