import type { oas31 } from 'openapi3-ts';

const header = (name: string, description: string): oas31.ParameterObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});
const query = (name: string, description: string, schema: oas31.SchemaObject): oas31.ParameterObject => ({
  name,
  in: 'query',
  description,
  schema,
});

/** Parameters that several operations share; the key is the name in `components/parameters`. */
export const PARAMETERS = {
  id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  size: query('size', 'resources per page', { type: 'integer', minimum: 0, maximum: 10_000, default: 500 }),
  page: query('page', 'page, from 0', { type: 'integer', minimum: 0, default: 0 }),
  after: query('after', 'go on behind this record, as the `Link` of a page says', { type: 'string' }),
  requestId: header('X-Request-Id', 'your name for this request; the reply, the log and the audit show it'),
  idempotencyKey: header('Idempotency-Key', 'any 1 to 255 characters; a repeat within 24 h gets the first reply again'),
  ifMatch: header('If-Match', 'ETag that you edited; only its generation counts, a mere status change breaks no edit'),
  overrideProtection: header('Override-Protection', 'id of a protected deployment that an admin means to change'),
  ifNoneMatch: header('If-None-Match', 'ETag that you have; 304 when nothing changed'),
  follow: query('follow', 'stay until the log ends', { type: 'boolean', default: false }),
  tail: query('tail', 'only so many of the lines that exist', { type: 'integer', minimum: 0 }),
  heartbeat: query('heartbeat', 'with `follow`: a line after 8 s of silence', { type: 'boolean', default: true }),
  replica: query('replica', 'one replica only', { type: 'string' }),
  generation: query('generation', 'the replicas of this generation only; a follow ends when a new one comes', {
    type: 'integer',
    minimum: 1,
  }),
  previous: query('previous', 'crashed and replaced replicas, not the present ones', {
    type: 'boolean',
    default: false,
  }),
} satisfies Record<string, oas31.ParameterObject>;
export type ParameterName = keyof typeof PARAMETERS;

export const parameter = (name: ParameterName): oas31.ReferenceObject => ({
  $ref: `#/components/parameters/${name}`,
});

/** A filter may be repeated ("or"); a single `*` means no filter. */
export const filterParameter = (name: string): oas31.ParameterObject => ({
  name,
  in: 'query',
  description: `filter; may be repeated`,
  explode: true,
  schema: { type: 'array', items: { type: 'string' } },
});
