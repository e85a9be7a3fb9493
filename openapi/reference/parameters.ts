import type { oas31 } from 'openapi3-ts';

type Parameter = oas31.ParameterObject;

const query = (name: string, description: string, schema: oas31.SchemaObject, more: Partial<Parameter> = {}) =>
  ({ name, in: 'query', description, schema, ...more }) satisfies Parameter;
const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});
const text: oas31.SchemaObject = { type: 'string' };

// prettier-ignore
export const PARAMETERS = {
  q:         query('q', 'Filter: `staffing_status == Open and customer.id != 4060741400035622411`. `!=` needs a value that is present: `not(field == value)` also finds rows without the field, and `field =null= true` only those.', { type: 'string', maxLength: 8_192 }, { required: true, example: 'version > 0' }),
  typed:     query('q', 'The text typed so far; an empty one lists the most popular rows.', { type: 'string', maxLength: 200 }, { required: true, example: 'sao pa' }),
  filter:    query('filter', 'Only rows that fulfil this filter.', text),
  limit:     query('limit', 'Hits at most.', { type: 'integer', minimum: 1, maximum: 50, default: 10 }),
  order_by:  query('order_by', 'Up to three fields, each with `asc` or `desc`: `starts_on desc,title`; `<point>.distance` sorts by the distance from the condition `=near=` of the filter, which each row then has as a member, in metres.', text),
  page_size: query('page_size', 'Rows of a page; above 500 it is 500.', { type: 'integer', minimum: 1, default: 50 }),
  page_token: query('page_token', '`next_page_token` of the page before, or a cursor of the graph.', text),
  fields:    query('fields', 'What a row shows: `title,customer.id`; `*` is all.', text),
  count:     query('count', 'Whether the rows of the whole search are counted.', { type: 'string', enum: ['exact', 'none'], default: 'exact' }),
  as_of:     query('as_of', 'Dataset version to read.', { type: 'integer', minimum: 1 }),
  explain:   query('explain', 'Says how the rows were found.', { type: 'boolean', default: false }),
  facets:    query('facets', 'Up to 10 fields, separated by commas: how many rows of the whole search have which value, the 100 most frequent ones.', text),
  aggregates: query('aggregates', 'Up to 10 fields of numbers, separated by commas: count, min, max, sum and average over the whole search.', text),
  ids:       query('ids', 'Up to 200 ids, separated by commas: these rows in this order; goes with `fields` and `as_of` alone.', text),
  force:     query('force', 'Takes fields back, if every row allows it.', { type: 'boolean', default: false }),
  confirm:   query('confirm', 'The name once more.', text, { required: true }),
  ifMatch:     header('If-Match', 'ETag of the state that is meant.'),
  ifNoneMatch: header('If-None-Match', 'Of a read the ETag that is known; of a write `*`, which creates.'),
  idempotencyKey: header('Idempotency-Key', 'A repeat with the same key and body finds what the first call made.'),
  minVersion: { name: 'slipway-min-version', in: 'header', description: 'Waits for this dataset version: read your own write.', schema: { type: 'integer', minimum: 0 } } satisfies Parameter,
  minVersions: header('slipway-min-version', 'Waits for this version of the dataset that is asked for; of several as `positions=903,skills=12`.'),
  uploadOffset: { name: 'upload-offset', in: 'header', required: true, description: 'Where this part begins, in bytes.', schema: { type: 'integer', minimum: 0 } } satisfies Parameter,
  format:     query('format', 'Of the upload, where no body is sent.', { type: 'string', enum: ['ndjson', 'csv'] }),
  mode:       query('mode', '`replace` deletes what is absent from the upload.', { type: 'string', enum: ['upsert', 'insert_only', 'replace'], default: 'upsert' }),
  dry_run:    query('dry_run', 'Everything but the writes.', { type: 'boolean', default: false }),
  on_error:   query('on_error', 'Whether a bad row ends the import.', { type: 'string', enum: ['stop', 'skip'], default: 'stop' }),
  max_errors: query('max_errors', 'With `skip`: the import fails when there are more.', { type: 'integer', minimum: 1, maximum: 5_000_000, default: 1_000 }),
  announce:   query('announce', '`at_end`: readers see nothing of it until it has succeeded.', { type: 'string', enum: ['as_you_go', 'at_end'], default: 'as_you_go' }),
};

export const path = (name: string, schema: oas31.SchemaObject, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

/** Position of the next page, for lists that begin with the newest. */
export const beforeNumber = (description: string) => ({
  name: 'before',
  in: 'query' as const,
  description,
  schema: { type: 'integer' as const, minimum: 1 },
});
export const PAGE_SIZE = {
  name: 'page_size',
  in: 'query' as const,
  description: 'At most.',
  schema: { type: 'integer' as const, minimum: 1, maximum: 100, default: 20 },
};
