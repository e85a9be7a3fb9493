import type { oas31 } from 'openapi3-ts';
import type { Schema } from './replies.js';
import { PROBLEM, ref } from './replies.js';
import { ID } from '../../reference/dataset/row-schema.js';

const TEXT = { type: 'string' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const nullable = (schema: oas31.SchemaObject): oas31.SchemaObject => ({ anyOf: [schema, { type: 'null' }] });

function object(properties: Record<string, Schema>, optional: Record<string, Schema> = {}): oas31.SchemaObject {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

const key = {
  id: TEXT,
  name: TEXT,
  scopes: { type: 'array', items: TEXT },
  owner: TEXT,
  created_at: TIME,
  expires_at: nullable(TIME),
  last_used_at: nullable(TIME),
} as const;
const origins = { type: 'array', items: { ...TEXT, example: 'https://shop.example.com' }, maxItems: 20, description: 'The key is accepted from pages of these origins alone.' } as const; // prettier-ignore
const rowFilters = {
  type: 'object',
  additionalProperties: TEXT,
  description: 'Filters by dataset: the key reads and writes only the rows that match.',
} as const;

/** Schemas that are the same for every dataset. */
// prettier-ignore
export const SHARED_SCHEMAS: Record<string, oas31.SchemaObject> = {
  Problem: PROBLEM,
  Dataset: object({ kind: { const: 'Dataset' }, id: TEXT, spec: { type: 'object' }, status: { type: 'object' }, generation: COUNT, updatedAt: TIME, updatedBy: TEXT }),
  ApiKey: object(key, { origins, row_filters: rowFilters }),
  IssuedKey: object(
    { ...key, secret: { ...TEXT, description: 'Shown this once.' } },
    { origins, row_filters: rowFilters },
  ),
  ApiKeyRequest: { ...object({ name: { ...TEXT, minLength: 1, maxLength: 200 }, scopes: { type: 'array', items: { ...TEXT, example: 'data:read:*' }, minItems: 1, maxItems: 100 } }, { origins, expires_at: nullable(TIME) }), additionalProperties: false },
  Batch: {
    type: 'array',
    maxItems: 500,
    // Each item is validated independently; its own result lists its problems.
    items: { description: '`op` (create, put, patch or delete), `id`, `if_match` and `entity`.' },
    example: [{ op: 'patch', id: '9007199254740993', entity: { title: 'Crane operator' } }],
  },
  BatchResults: object({ items: { type: 'array', items: object({ status: { type: 'integer' } }, { id: ID, etag: TEXT, problem: ref('Problem') }) } }),
  History: object(
    { items: { type: 'array', items: object({ version: COUNT, at: TIME, actor: TEXT, operation: { type: 'string', enum: ['create', 'update', 'delete'] }, changed: { type: 'array', items: TEXT }, previous: nullable({ type: 'object' }), entity: nullable({ type: 'object' }) }) } },
    { next_page_token: TEXT },
  ),
  Dangling: object({ items: { type: 'array', items: object({ id: ID, references: { type: 'array', items: object({ field: TEXT, dataset: TEXT, id: ID }) } }) }, total_rows: COUNT, total_references: COUNT, dataset_version: COUNT }, { next_after: ID }),
  Import: object({ kind: { const: 'Import' }, id: TEXT, dataset: TEXT, spec: { type: 'object' }, status: { type: 'object' }, created_at: TIME, created_by: TEXT }, { offset: COUNT }),
  Imports: object({ items: { type: 'array', items: ref('Import') } }),
  GraphRequest: { ...object({ query: TEXT }, { operationName: nullable(TEXT), variables: nullable({ type: 'object' }), extensions: nullable({ type: 'object' }) }), additionalProperties: false, example: { query: '{ datasets { name version } }' } },
  GraphReply: { type: 'object', properties: {
    data: { type: 'object' },
    errors: { type: 'array', items: object({ message: TEXT, extensions: object({ code: TEXT }) }) },
    extensions: object({ versions: { type: 'object', additionalProperties: COUNT }, cost: COUNT }),
  } },
};

const VALUE: oas31.SchemaObject = { type: ['string', 'number', 'boolean'] };
const FACET = object({
  values: { type: 'array', items: object({ value: VALUE, count: COUNT }) },
  others: COUNT,
  missing: COUNT,
});
const NUMBER: oas31.SchemaObject = {
  type: ['number', 'string', 'null'],
  description: 'A string of digits for an integer beyond 2^53.',
};
const AGGREGATE = object({
  count: COUNT,
  min: NUMBER,
  max: NUMBER,
  sum: NUMBER,
  average: nullable({ type: 'number' }),
});

/** Pages and hits of one kind of row. */
export function pageSchemas(row: string): Record<string, oas31.SchemaObject> {
  const match = object({ bucket: TEXT, typos: COUNT, field: TEXT, ranges: { type: 'array' } }, { index: COUNT });
  return {
    [`${row}Page`]: object(
      { items: { type: 'array', items: ref(row) }, dataset_version: COUNT },
      {
        next_page_token: TEXT,
        total_size: COUNT,
        filter: TEXT,
        explain: { type: 'object' },
        facets: { type: 'object', additionalProperties: FACET },
        aggregates: { type: 'object', additionalProperties: AGGREGATE },
        missing: { type: 'array', items: ID },
        deleted: { type: 'array', items: object({ id: ID, deleted_at: TIME }) },
      },
    ),
    [`${row}Hits`]: object({
      query: object({ text: TEXT, words: { type: 'array', items: TEXT } }),
      dataset_version: COUNT,
      items: { type: 'array', items: ref(`${row}Hit`) },
    }),
    [`${row}Hit`]: { allOf: [ref(row), object({ match })] },
    [`${row}Patch`]: { type: 'object', description: 'Members to change; null removes one.' },
  };
}
