import { STATUS_CODES } from 'node:http';
import type { oas31 } from 'openapi3-ts';

export type Schema = oas31.SchemaObject | oas31.ReferenceObject;

export const ref = (name: string): oas31.ReferenceObject => ({ $ref: `#/components/schemas/${name}` });

export const body = (schema: Schema, ...types: string[]): oas31.ContentObject =>
  Object.fromEntries((types.length > 0 ? types : ['application/json']).map((type) => [type, { schema }]));

/** A reply with a body of this form. */
export const reply = (description: string, schema: Schema): oas31.ResponseObject => ({
  description,
  content: body(schema),
});

export const empty = (description: string): oas31.ResponseObject => ({ description });

/** The replies of every operation that needs a credential, and those of the operation itself. */
export const problems = (...statuses: number[]): Record<string, oas31.ResponseObject> => ({
  431: empty('Address and headers are too long to be read; there is no body.'),
  ...Object.fromEntries(
    [400, 401, 403, 429, 500, 503, 507, ...statuses].map((status) => [
      status,
      { description: STATUS_CODES[status] ?? '', content: body(ref('Problem'), 'application/problem+json') },
    ]),
  ),
});

const POSITION: oas31.SchemaObject = {
  type: 'object',
  properties: {
    offset: { type: 'integer' },
    length: { type: 'integer' },
    line: { type: 'integer' },
    column: { type: 'integer' },
  },
  required: ['offset', 'length', 'line', 'column'],
};
/** RFC 9457, with every single thing that is wrong. */
export const PROBLEM: oas31.SchemaObject = {
  type: 'object',
  properties: {
    type: { type: 'string', description: 'A path of this host that explains the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          code: { type: 'string' },
          message: { type: 'string' },
          pointer: { type: 'string', description: 'Place in the body (RFC 6901).' },
          parameter: { type: 'string' },
          position: POSITION,
          expected: { type: 'array', items: { type: 'string' } },
          suggestion: { type: 'string' },
        },
        required: ['code', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'code', 'instance'],
};
