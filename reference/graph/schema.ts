import {
  getNamedType,
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  isObjectType,
} from 'graphql';
import { createFieldTypes, digits, type GraphFields, plain } from './field-types.js';
import type { LookupHit } from '../lookup/lookup-index.js';
import type { FieldMeaning, PageFacts } from './field-meaning.js';
import { createFigureTypes } from './figure-types.js';
import { createNames, singularOf, toTypeName } from './names.js';
import { type GraphDataset, relationsTo } from './relations.js';
import { DateScalar, Integer, Long, Timestamp } from './scalars.js';

/** A field of the schema, with everything that a plan needs of it. */
interface KnownField {
  field: GraphQLField<unknown, unknown>;
  meaning: FieldMeaning;
  /** The type of its own fields. */
  inner: GraphQLObjectType | undefined;
}

export interface GraphSchema {
  schema: GraphQLSchema;
  /** Names of the datasets that it was made of. */
  datasets: readonly string[];
  /** Undefined for the fields of introspection. */
  fieldOf: (type: string, field: string) => KnownField | undefined;
}

/** Default size of a page of rows. */
const DEFAULT_FIRST = { root: 50, nested: 20 };

const FIGURES = ['Facet', 'FacetValue', 'Aggregate', 'FieldValue'];
const TAKEN = ['Query', 'PageInfo', 'DatasetState', 'Long', 'Integer', 'Date', 'Timestamp', ...FIGURES];
const BUILT_IN = ['String', 'Int', 'Float', 'Boolean', 'ID'];

const required = <Type extends ConstructorParameters<typeof GraphQLNonNull>[0]>(type: Type) => new GraphQLNonNull(type);

/** Creates the schema of these datasets: their rows, single and in pages, and relations in both directions. */
export function createGraphSchema(datasets: readonly GraphDataset[]): GraphSchema {
  const meanings = new Map<string, FieldMeaning>();
  const claimType = createNames([...TAKEN, ...BUILT_IN]);

  function objectType(
    name: string,
    description: string,
    fields: () => GraphFields,
    argumentsOf: (meaning: FieldMeaning) => GraphQLFieldConfigArgumentMap = () => ({}),
  ): GraphQLObjectType {
    return new GraphQLObjectType({
      name,
      description,
      fields: () =>
        Object.fromEntries(
          Object.entries(fields()).map(
            ([field, { meaning, ...config }]): [string, GraphQLFieldConfig<unknown, unknown>] => {
              meanings.set(`${name}.${field}`, meaning);
              return [field, { ...config, args: argumentsOf(meaning) }];
            },
          ),
        ),
    });
  }

  const { fieldsOf } = createFieldTypes({ rowType: (dataset) => types.get(dataset)?.row, claimType, objectType });
  const pageInfo = objectType('PageInfo', 'Position of a page in its walk.', () => PAGE_INFO);
  const datasetState = objectType('DatasetState', 'State of a dataset that this request reads.', () => DATASET_STATE);
  const figuresOf = createFigureTypes({ objectType });
  const types = new Map(datasets.map((dataset) => [dataset.name, typesOf(dataset)]));

  function typesOf(dataset: GraphDataset) {
    const { name, spec } = dataset;
    const rowName = claimType(toTypeName(singularOf(name)));
    const about = [spec.title ?? name, spec.attribution].filter(Boolean).join('\n\n');
    const row = objectType(
      rowName,
      about,
      () => ({ ...FIRST_MEMBERS, ...fieldsOf(spec.fields, rowName), ...LAST_MEMBERS, ...referringTo(dataset) }),
      connectionArguments,
    );
    const edge = objectType(claimType(`${rowName}Edge`), `One row of a page of ${name}.`, () => ({
      node: { type: required(row), meaning: { kind: 'node' } },
      cursor: { type: required(GraphQLString), meaning: { kind: 'cursor' }, description: CURSOR },
    }));
    const members = (): GraphFields => ({
      edges: { type: required(new GraphQLList(required(edge))), meaning: { kind: 'edges' } },
      nodes: { type: required(new GraphQLList(required(row))), meaning: { kind: 'nodes' } },
      pageInfo: { type: required(pageInfo), meaning: { kind: 'page_info' } },
      ...CONNECTION_MEMBERS,
      ...figuresOf(name),
    });
    const connection = objectType(
      claimType(`${rowName}Connection`),
      `A page of ${name}.`,
      members,
      connectionArguments,
    );
    const hit = objectType(claimType(`${rowName}Hit`), `A row of ${name} that was looked up.`, () => ({
      node: { type: required(row), meaning: { kind: 'node' } },
      ...HIT_MEMBERS,
    }));
    return { row, connection, hit };
  }

  function referringTo(dataset: GraphDataset): GraphFields {
    return Object.fromEntries(
      relationsTo(dataset, datasets).flatMap(({ name, dataset: from, leaf }) => {
        const type = types.get(from)?.connection;
        if (type === undefined) return [];
        const description = `Rows of ${from} whose ${leaf.path} is this one.`;
        return [[name, { type: required(type), description, meaning: { kind: 'referring', dataset: from, leaf } }]];
      }),
    );
  }

  function rootFields(): GraphFields {
    const claim = createNames(['datasets', ...datasets.map(({ name }) => name)]);
    const found: GraphFields = {
      datasets: { type: required(new GraphQLList(required(datasetState))), meaning: { kind: 'datasets' } },
    };
    for (const { name: dataset, spec } of datasets) {
      const type = types.get(dataset);
      if (type === undefined) continue;
      const { row, connection, hit } = type;
      const singular = singularOf(dataset);
      const one = claim(singular === dataset ? `${dataset}_by_id` : singular);
      const rows = required(new GraphQLList(row));
      found[one] = { type: row, meaning: { kind: 'one', dataset }, description: 'Null for an id that no row has.' };
      found[claim(`${dataset}_by_ids`)] = { type: rows, meaning: { kind: 'by_ids', dataset }, description: BY_IDS };
      if (spec.lookup !== null) {
        const hits = required(new GraphQLList(required(hit)));
        found[claim(`${dataset}_lookup`)] = { type: hits, meaning: { kind: 'lookup', dataset }, description: LOOKUP };
      }
      found[dataset] = { type: required(connection), meaning: { kind: 'rows', dataset } };
    }
    return found;
  }

  const query = objectType('Query', 'Every dataset that the caller may read.', rootFields, connectionArguments);
  const schema = new GraphQLSchema({ query, types: [Long, Integer, DateScalar, Timestamp] });
  const known = knownFields(schema, meanings);
  return {
    schema,
    datasets: datasets.map(({ name }) => name),
    fieldOf: (type, field) => known.get(type)?.get(field),
  };
}

/** Indexes the fields once: the lookups of the library take longer than the rest of a plan. */
function knownFields(schema: GraphQLSchema, meanings: ReadonlyMap<string, FieldMeaning>) {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type));
  return new Map(
    types.map((type) => {
      const fields = Object.entries(type.getFields()).flatMap(([name, field]): [string, KnownField][] => {
        const meaning = meanings.get(`${type.name}.${name}`);
        if (meaning === undefined) return [];
        const inner = getNamedType(field.type);
        return [[name, { field, meaning, inner: isObjectType(inner) ? inner : undefined }]];
      });
      return [type.name, new Map(fields)];
    }),
  );
}

function connectionArguments({ kind }: FieldMeaning): GraphQLFieldConfigArgumentMap {
  if (kind === 'one') return { id: { type: required(Long) } };
  if (kind === 'by_ids') return { ids: { type: required(new GraphQLList(required(Long))) } };
  if (kind === 'facets' || kind === 'aggregates') {
    return { fields: { type: required(new GraphQLList(required(GraphQLString))) } };
  }
  const filter = { type: GraphQLString, description: 'As `q` of a search.' };
  if (kind === 'lookup') {
    return { q: { type: required(GraphQLString) }, limit: { type: GraphQLInt, defaultValue: 10 }, filter };
  }
  if (kind !== 'rows' && kind !== 'referring') return {};
  return {
    filter,
    order_by: { type: GraphQLString, description: 'As of a search: `starts_on desc,title`.' },
    first: { type: GraphQLInt, defaultValue: kind === 'rows' ? DEFAULT_FIRST.root : DEFAULT_FIRST.nested },
    after: { type: GraphQLString, description: CURSOR },
  };
}

const CURSOR = 'Sealed: the `page_token` of a search with the same filter and order.';
const LOOKUP = 'The best rows for what was typed so far, the best first.';
const BY_IDS = 'In the order of the ids, null for those that no row has; at most 200.';

const value = (type: GraphFields[string]['type'], member: string, write: typeof plain) => ({
  type: required(type),
  meaning: { kind: 'value', member, required: true, write } as const,
});
const FIRST_MEMBERS: GraphFields = { id: value(Long, 'id', plain) };
const LAST_MEMBERS: GraphFields = {
  version: value(GraphQLInt, 'version', digits),
  created_at: value(Timestamp, 'created_at', plain),
  updated_at: value(Timestamp, 'updated_at', plain),
};

const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value));
const pageMember = (type: GraphFields[string]['type'], write: (page: PageFacts) => string) => ({
  type,
  meaning: { kind: 'page_info_member', write } as const,
});
const PAGE_INFO: GraphFields = {
  hasNextPage: pageMember(required(GraphQLBoolean), ({ hasMore }) => String(hasMore)),
  hasPreviousPage: pageMember(required(GraphQLBoolean), ({ hasPrevious }) => String(hasPrevious)),
  startCursor: pageMember(GraphQLString, (page) => text(page.cursorOf('first'))),
  endCursor: pageMember(GraphQLString, (page) => text(page.cursorOf('last'))),
};
const CONNECTION_MEMBERS: GraphFields = {
  total_count: {
    type: GraphQLInt,
    meaning: { kind: 'page', write: ({ total }) => String(total) },
    description: 'Rows of the whole search.',
  },
  dataset_version: {
    type: required(Long),
    meaning: { kind: 'page', write: ({ version }) => `"${version}"` },
    description: 'The version of the dataset that the page shows.',
  },
};
const ofHit = (type: GraphFields[string]['type'], write: (hit: LookupHit) => string) => ({
  type: required(type),
  meaning: { kind: 'match', write } as const,
});
const HIT_MEMBERS: GraphFields = {
  bucket: ofHit(GraphQLString, ({ bucket }) => JSON.stringify(bucket)),
  typos: ofHit(GraphQLInt, ({ typos }) => String(typos)),
  field: ofHit(GraphQLString, ({ field }) => JSON.stringify(field)),
  /** Half-open, in UTF-16 units of the value of the field. */
  ranges: ofHit(new GraphQLList(required(new GraphQLList(required(GraphQLInt)))), ({ ranges }) =>
    JSON.stringify(ranges),
  ),
};
const DATASET_STATE: GraphFields = {
  name: {
    type: required(GraphQLString),
    meaning: { kind: 'dataset_state', write: ({ name }) => JSON.stringify(name) },
  },
  version: { type: required(Long), meaning: { kind: 'dataset_state', write: ({ version }) => `"${version}"` } },
  as_of: {
    type: required(Timestamp),
    meaning: { kind: 'dataset_state', write: ({ asOf }) => JSON.stringify(asOf) },
  },
};
