import { type GraphQLError, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { BuiltIndex } from '../../../reference/dataset/dataset-index.js';
import {
  createGraphSchema,
  createRowCache,
  type DatasetView,
  type Documents,
  type GraphDocument,
  type GraphSchema,
} from '../../../reference/graph/index.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { covers } from '../../../platform/kinds/scope.js';
import type { Datasets } from '../../../reference/stores/datasets.js';
import type { LiveDataset } from '../../../reference/stores/live-dataset.js';
import { requireScope } from '../credentials.js';
import type { Client } from '../state.js';

/** The datasets that one caller may read, as of one moment. */
export interface Readable {
  graph: GraphSchema;
  /** The datasets of the schema. */
  live: readonly LiveDataset[];
  indexes: readonly BuiltIndex[];
  /** The present view of one of these datasets. */
  viewOf: (name: string) => DatasetView;
}

/** Callers with the same rights share a schema. */
const MOST_SCHEMAS = 50;

/** Creates the schemas of the datasets as declared now, one for each set of datasets that a caller may read. */
export function createGraphSchemas({ datasets, documents }: { datasets: Datasets; documents: Documents }) {
  const known = new LRUCache<string, Readable>({ max: MOST_SCHEMAS });
  /** By the scopes of a caller: the datasets that existed, and those of them that it may read. */
  const allowed = new WeakMap<readonly string[], { all: readonly LiveDataset[]; may: readonly LiveDataset[] }>();
  const latest = new WeakMap<readonly LiveDataset[], Readable>();

  /** The schema of those datasets that have an index now. */
  function searchable(may: readonly LiveDataset[]): Readable {
    const before = latest.get(may);
    if (before !== undefined && isStill(before, may)) return before;
    const live = may.filter((dataset) => indexOf(dataset) !== undefined);
    const indexes = live.flatMap((dataset) => indexOf(dataset) ?? []);
    const found = readable(live, indexes);
    latest.set(may, found);
    return found;
  }

  function readable(live: readonly LiveDataset[], indexes: readonly BuiltIndex[]): Readable {
    const key = live.map(({ name }) => name).join();
    const found = known.get(key);
    const isSame = found?.live.every((dataset, at) => dataset === live[at] && found.indexes[at] === indexes[at]);
    if (found !== undefined && isSame === true) return found;
    const specs = live.map(({ name }, at) => ({ name, spec: indexes[at]?.declaration.spec }));
    const graph = createGraphSchema(specs.flatMap(({ name, spec }) => (spec === undefined ? [] : [{ name, spec }])));
    const viewOf = (name: string) => viewAmong({ live, indexes }, name);
    const created = { graph, live, indexes, viewOf };
    known.set(key, created);
    return created;
  }

  function allowedTo({ scopes }: Client): readonly LiveDataset[] {
    const all = datasets.all();
    const before = allowed.get(scopes);
    if (before?.all === all) return before.may;
    const may = all.filter(({ name }) => covers(scopes, `data:read:${name}`));
    allowed.set(scopes, { all, may });
    return may;
  }

  return {
    readableBy: (client: Client): Readable => searchable(allowedTo(client)),

    /** The datasets of the top-level fields of a document, among those that the caller may read. */
    namedIn(
      document: GraphDocument,
      { graph, live }: Readable,
    ): { first: readonly LiveDataset[]; known: readonly LiveDataset[] } {
      const names = new Set<string>();
      eachDataset(graph, document, (name, parent) => {
        if (parent === 'Query') names.add(name);
      });
      return { first: live.filter(({ name }) => names.has(name)), known: live };
    },

    /**
     * Validates a document against the datasets that the caller may read.
     * @throws auth.scope when it names datasets that the caller may not read; replica.loading while a dataset
     *   is loading that may make it valid
     */
    validate({ graph }: Readable, document: GraphDocument, client: Client): readonly GraphQLError[] {
      const errors = documents.validate(graph.schema, document);
      if (errors.length === 0) return errors;
      requireScopes(searchable(datasets.all()).graph, document, client);
      const loading = datasets
        .all()
        .find(
          ({ isReady, replica, index }) =>
            !isReady || (replica.declaration !== undefined && index?.built === undefined),
        );
      if (loading !== undefined) {
        throw new SlipwayError(
          'replica.loading',
          `dataset "${loading.name}" is being loaded: try again after Retry-After`,
        );
      }
      return errors;
    },
  };
}

/** Creates caches of the rows of each dataset. */
export function createRowCaches() {
  const caches = new WeakMap<LiveDataset['replica']['rows'], ReturnType<typeof createRowCache>>();
  return ({ rows }: DatasetView) => {
    let read = caches.get(rows);
    if (read === undefined) caches.set(rows, (read = createRowCache(rows)));
    return read;
  };
}

function viewAmong({ live, indexes }: Pick<Readable, 'live' | 'indexes'>, name: string): DatasetView {
  const at = live.findIndex((dataset) => dataset.name === name);
  const [dataset, index] = [live[at], indexes[at]];
  if (dataset === undefined || index === undefined) throw new SlipwayError('internal', `${name} is not readable`);
  const { replica, pages } = dataset;
  const asOf = replica.pin?.asOf ?? replica.newestAt;
  return { name, rows: replica.rows, pages, index, version: replica.visible, asOf };
}

const indexOf = ({ isReady, replica, index }: LiveDataset): BuiltIndex | undefined =>
  isReady && replica.declaration !== undefined ? index?.built : undefined;

/** Whether the same datasets have an index, each the same one. */
function isStill({ live, indexes }: Readable, may: readonly LiveDataset[]): boolean {
  let at = 0;
  for (const dataset of may) {
    const index = indexOf(dataset);
    if (index === undefined) continue;
    if (live[at] !== dataset || indexes[at] !== index) return false;
    at += 1;
  }
  return at === live.length;
}

/** @throws auth.scope for the first dataset that the document reads and the caller may not */
const requireScopes = (graph: GraphSchema, document: GraphDocument, client: Client): void =>
  eachDataset(graph, document, (name) => requireScope(client, `data:read:${name}`));

/** Visits each field that reads a dataset, with the name of the dataset and the type of the parent. */
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
