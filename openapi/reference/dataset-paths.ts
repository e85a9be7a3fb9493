import type { oas31 } from 'openapi3-ts';
import type { Paths } from '../lifecycle/operations.js';
import { PARAMETERS as P, path } from './parameters.js';
import { body, empty, problems, ref, reply } from './replies.js';
import { ID } from '../../reference/dataset/row-schema.js';

export interface DatasetPathsOptions {
  /** Path segment: the name of a dataset, or `{dataset}`. */
  segment: string;
  /** In sentences and, before the operations' own names, in their ids. */
  name: string;
  /** Names of the component schemas of its rows. */
  row: string;
  request: string;
  parameters?: oas31.ParameterObject[];
  /** Whether an operation that is no dataset's has this id, such as `read_key`. */
  isTaken?: (operationId: string) => boolean;
}

const PAGING = [P.order_by, P.page_size, P.page_token, P.fields, P.count, P.as_of, P.explain, P.facets, P.aggregates];
const READING = [P.ifNoneMatch, P.minVersion];
const WRITING = [P.ifMatch, P.ifNoneMatch, P.idempotencyKey];

/** Every operation on the rows of one dataset. */
export function datasetPaths(options: DatasetPathsOptions): Paths {
  const { segment, name, row, request, parameters = [], isTaken = () => false } = options;
  const id = path('id', ID, 'Of the row.');
  const importId = path('id', { type: 'string' }, 'Of the import.');
  const root = `/v2/${segment}`;
  const idOf = (operation: string): string => {
    const id = `${operation}_${name}`;
    // `read_import_a` is of the dataset "a". A dash is in no name, so an id with one belongs to this dataset alone.
    const isOfAnother = isTaken(id) || (operation === 'read' && name.startsWith('import_'));
    return isOfAnother ? `${operation}-${name}` : id;
  };
  const operation = (
    operationId: string,
    summary: string,
    responses: oas31.ResponsesObject,
    more: Partial<oas31.OperationObject> = {},
  ): oas31.OperationObject => ({
    operationId: idOf(operationId),
    summary,
    tags: [name],
    responses,
    ...more,
  });
  const rowBody = (...types: string[]) => ({ required: true, content: body(ref(request), ...types) });
  const page = reply('A page of rows.', ref(`${row}Page`));
  const one = reply('The row.', ref(row));
  const imported = reply('The import.', ref('Import'));
  const known = { 304: empty('Nothing changed.') };
  const refused = problems(404, 409, 410, 412, 413, 415, 422, 428);
  const written = { ...refused, 200: one };

  return {
    [root]: {
      parameters,
      get: operation(
        'list',
        `Rows of ${name}, page by page or by their ids.`,
        { 200: page, ...known, ...problems(404, 406, 410) },
        { parameters: [P.ids, ...PAGING, ...READING] },
      ),
      post: operation(
        'create',
        'A new row, with an id of ours.',
        { ...refused, 201: reply('It was created.', ref(row)) },
        { parameters: [P.idempotencyKey, P.ifNoneMatch], requestBody: rowBody() },
      ),
    },
    [`${root}/search`]: {
      parameters,
      get: operation(
        'search',
        'Rows that fulfil a filter.',
        { 200: page, ...known, ...problems(404, 406, 410) },
        { parameters: [P.q, ...PAGING, ...READING] },
      ),
    },
    [`${root}/lookup`]: {
      parameters,
      get: operation(
        'lookup',
        'The best rows for what was typed so far.',
        { 200: reply('Hits, the best first.', ref(`${row}Hits`)), ...known, ...problems(404, 406, 422) },
        { parameters: [P.typed, P.limit, P.filter, P.fields, ...READING] },
      ),
    },
    [`${root}/batch`]: {
      parameters,
      post: operation(
        'batch',
        'Up to 500 writes, each by itself.',
        { 200: reply('One result for each item.', ref('BatchResults')), ...problems(404, 413, 415) },
        { requestBody: { required: true, content: body(ref('Batch')) } },
      ),
    },
    [`${root}/{id}`]: {
      parameters: [...parameters, id],
      get: operation(
        'read',
        'One row.',
        { 200: one, ...known, ...problems(404, 406, 410) },
        { parameters: [P.fields, P.as_of, ...READING] },
      ),
      put: operation(
        'put',
        'The whole row.',
        { ...written, 201: reply('It was created.', ref(row)) },
        { parameters: WRITING, requestBody: rowBody() },
      ),
      patch: operation('patch', 'Some fields of the row, as JSON merge patch (RFC 7396).', written, {
        parameters: WRITING,
        requestBody: {
          required: true,
          content: body(ref(`${row}Patch`), 'application/merge-patch+json', 'application/json'),
        },
      }),
      delete: operation(
        'delete',
        'The row goes; its versions go on if it comes back.',
        { 204: empty('It is gone.'), ...problems(404, 409, 410, 412, 428) },
        { parameters: WRITING },
      ),
    },
    [`${root}/{id}/history`]: {
      parameters: [...parameters, id],
      get: operation(
        'history',
        'Versions of the row, the newest first.',
        { 200: reply('A page of versions.', ref('History')), ...problems(404, 410) },
        { parameters: [P.page_token] },
      ),
    },
    [`${root}/imports`]: {
      parameters,
      get: operation(
        'imports',
        'The newest imports first, without the errors of their rows.',
        { 200: reply('The imports.', ref('Imports')), ...problems(404) },
        {
          parameters: [
            {
              name: 'limit',
              in: 'query',
              description: 'Imports at most.',
              schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
            },
          ],
        },
      ),
      post: operation(
        'import',
        'Many rows: in one call with a body, or without one to upload in parts.',
        { 201: imported, 202: imported, ...problems(404, 409, 413, 415) },
        {
          parameters: [P.format, P.mode, P.dry_run, P.on_error, P.max_errors, P.announce],
          requestBody: {
            content: body(
              { type: 'string', description: 'Rows, one a line; the import validates them when it runs.' },
              'application/x-ndjson',
              'text/csv',
            ),
          },
        },
      ),
    },
    [`${root}/imports/{id}`]: {
      parameters: [...parameters, importId],
      get: operation('read_import', 'How far it is.', { 200: imported, ...problems(404) }),
      patch: operation(
        'append_import',
        'The next part of an upload.',
        { 200: imported, ...problems(404, 409, 413) },
        {
          parameters: [P.uploadOffset],
          requestBody: {
            required: true,
            content: body({ type: 'string', format: 'binary' }, 'application/octet-stream'),
          },
        },
      ),
      delete: operation('cancel_import', 'Ends it; what was written stays.', {
        204: empty('It is canceled.'),
        ...problems(404, 409),
      }),
    },
    [`${root}/imports/{id}/commit`]: {
      parameters: [...parameters, importId],
      post: operation('start_import', 'The upload is complete: begin.', { 202: imported, ...problems(404, 409) }),
    },
  };
}
