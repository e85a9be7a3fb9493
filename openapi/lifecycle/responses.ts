import { STATUS_CODES } from 'node:http';
import type { oas31 } from 'openapi3-ts';

const text = (description: string): oas31.HeaderObject => ({ description, schema: { type: 'string' } });

/** Headers of replies; the key is the name in `components/headers`. */
export const HEADERS = {
  'X-Request-Id': text('names the request'),
  'X-Total-Count': { description: 'matches before paging', schema: { type: 'integer' } },
  Link: text('the next page, with `rel="next"`'),
  ETag: text('`"<generation>-<revision>"`'),
  'Idempotency-Replayed': text('`true` when this is the first reply again'),
} satisfies Record<string, oas31.HeaderObject>;

type HeaderName = keyof typeof HEADERS;

const headers = (...names: HeaderName[]): oas31.HeadersObject =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const ref = (name: string): oas31.ReferenceObject => ({ $ref: `#/components/schemas/${name}` });

export function json(
  description: string,
  schema: oas31.SchemaObject | oas31.ReferenceObject,
  ...names: HeaderName[]
): oas31.ResponseObject {
  return { description, headers: headers(...names), content: { 'application/json': { schema } } };
}

export const plainText = (description: string): oas31.ResponseObject => ({
  description,
  headers: headers(),
  content: { 'text/plain': { schema: { type: 'string' } } },
});

/** Replies that every operation may give; `statuses` adds the operation's own. */
export function errorResponses(...statuses: number[]): oas31.ResponsesObject {
  return Object.fromEntries(
    [401, 403, 429, 500, 503, 507, ...statuses]
      .sort()
      .map((status) => [status, json(STATUS_CODES[status] ?? '', ref('Error'))]),
  );
}
