import type { Problem } from './problem.js';

/** Every error code: what it is on the wire, whether a client may read its message, and whether time heals it. */
// prettier-ignore
const CODES = {
  validation_failed:    { status: 400, expose: true,  retryable: false }, // the caller can fix it: every issue is listed
  bad_json:             { status: 400, expose: true,  retryable: false },
  bad_query:            { status: 400, expose: true,  retryable: false },
  api_disabled:         { status: 400, expose: true,  retryable: false },
  connection_vital:     { status: 400, expose: true,  retryable: false },
  unauthenticated:      { status: 401, expose: true,  retryable: false },
  forbidden:            { status: 403, expose: true,  retryable: false },
  quota_exceeded:       { status: 403, expose: true,  retryable: false }, // until the owner or an operator frees something
  not_found:            { status: 404, expose: true,  retryable: false },
  method_not_allowed:   { status: 405, expose: true,  retryable: false },
  too_slow:             { status: 408, expose: true,  retryable: true  }, // the body of a request takes too long
  already_exists:       { status: 409, expose: true,  retryable: false },
  in_use:               { status: 409, expose: true,  retryable: false },
  protected:            { status: 409, expose: true,  retryable: false }, // an admin must confirm
  deleting:             { status: 409, expose: true,  retryable: false },
  not_started:          { status: 409, expose: true,  retryable: false },
  already_finished:     { status: 409, expose: true,  retryable: false },
  not_finished:         { status: 409, expose: true,  retryable: false },
  not_waiting:          { status: 409, expose: true,  retryable: false }, // nothing to decide, or decided already
  conflict:             { status: 409, expose: true,  retryable: true  }, // lost a race that a repeat wins
  revision_mismatch:    { status: 412, expose: true,  retryable: false },
  too_large:            { status: 413, expose: true,  retryable: false },
  idempotency_mismatch: { status: 422, expose: true,  retryable: false },
  stale_generation:     { status: 409, expose: true,  retryable: false }, // another run owns the document
  run_failed:           { status: 422, expose: true,  retryable: false }, // a step of a run gave up: `reason` says why
  bad_gateway:          { status: 502, expose: true,  retryable: true  }, // a server behind the gateway broke off
  gateway_timeout:      { status: 504, expose: true,  retryable: true  },
  no_replica:           { status: 503, expose: true,  retryable: true  },
  unavailable:          { status: 503, expose: false, retryable: true  },
  storage_refused:      { status: 500, expose: false, retryable: false }, // an object that the store refuses for good
  storage_denied:       { status: 500, expose: false, retryable: true  }, // our credentials, until an operator gives access
  disk_full:            { status: 507, expose: true,  retryable: true  }, // until an operator frees space
  internal:             { status: 500, expose: false, retryable: true  }, // a bug, or a case we do not know yet
  // Codes of `/v2`, where a code is also the last part of the path that explains it.
  'accept.unsupported':          { status: 406, expose: true,  retryable: false },
  'auth.invalid':                { status: 401, expose: true,  retryable: false },
  'auth.origin':                 { status: 403, expose: true,  retryable: false },
  'auth.row_filter':             { status: 403, expose: true,  retryable: false },
  'auth.required':               { status: 401, expose: true,  retryable: false },
  'auth.scope':                  { status: 403, expose: true,  retryable: false },
  'auth.two_credentials':        { status: 400, expose: true,  retryable: false },
  'body.malformed':              { status: 400, expose: true,  retryable: false },
  'body.too_large':              { status: 413, expose: true,  retryable: false },
  'body.type':                   { status: 415, expose: true,  retryable: false },
  'delivery.in_flight':          { status: 409, expose: true,  retryable: true  },
  'delivery.not_held':           { status: 409, expose: true,  retryable: false },
  'delivery.not_found':          { status: 404, expose: true,  retryable: false },
  'dataset.invalid':             { status: 422, expose: true,  retryable: false },
  'dataset.not_found':           { status: 404, expose: true,  retryable: false },
  'dataset.schema_conflict':     { status: 409, expose: true,  retryable: false },
  'entity.deleted':              { status: 410, expose: true,  retryable: false },
  'entity.invalid':              { status: 422, expose: true,  retryable: false },
  'entity.not_found':            { status: 404, expose: true,  retryable: false },
  'entity.restricted':           { status: 409, expose: true,  retryable: false },
  'feed.ack_ahead':              { status: 409, expose: true,  retryable: false },
  'feed.consumer_not_found':     { status: 404, expose: true,  retryable: false },
  'feed.cursor_expired':         { status: 410, expose: true,  retryable: false },
  'feed.cursor_malformed':       { status: 400, expose: true,  retryable: false },
  'event_type.not_found':        { status: 404, expose: true,  retryable: false },
  'fields.unknown':              { status: 400, expose: true,  retryable: false },
  'filter.invalid':              { status: 400, expose: true,  retryable: false },
  'graphql.invalid':             { status: 400, expose: true,  retryable: false },
  'graphql.operation':           { status: 400, expose: true,  retryable: false },
  'graphql.persisted_mismatch':  { status: 400, expose: true,  retryable: false },
  'graphql.persisted_not_found': { status: 404, expose: true,  retryable: false },
  'graphql.too_costly':          { status: 400, expose: true,  retryable: false },
  'graphql.too_deep':            { status: 400, expose: true,  retryable: false },
  'graphql.too_long':            { status: 400, expose: true,  retryable: false },
  'graphql.too_many_aliases':    { status: 400, expose: true,  retryable: false },
  'graphql.variables':           { status: 400, expose: true,  retryable: false },
  'id.malformed':                { status: 400, expose: true,  retryable: false },
  'idempotency.mismatch':        { status: 422, expose: true,  retryable: false },
  'import.not_found':            { status: 404, expose: true,  retryable: false },
  'import.offset':               { status: 409, expose: true,  retryable: false },
  'import.rows':                 { status: 422, expose: true,  retryable: false },
  'import.running':              { status: 409, expose: true,  retryable: true  },
  'import.state':                { status: 409, expose: true,  retryable: false },
  'key.not_found':               { status: 404, expose: true,  retryable: false },
  'lookup.not_declared':         { status: 404, expose: true,  retryable: false },
  'lookup.q_required':           { status: 400, expose: true,  retryable: false },
  'lookup.query_too_long':       { status: 400, expose: true,  retryable: false },
  'order.invalid':      { status: 400, expose: true,  retryable: false },
  'order.unknown_field':         { status: 400, expose: true,  retryable: false },
  'page.size':                   { status: 400, expose: true,  retryable: false },
  'page.token_expired':          { status: 410, expose: true,  retryable: false },
  'page.token_malformed':        { status: 400, expose: true,  retryable: false },
  'page.token_mismatch':         { status: 400, expose: true,  retryable: false },
  'parameter.invalid':           { status: 400, expose: true,  retryable: false },
  'parameter.unknown':           { status: 400, expose: true,  retryable: false },
  'path.not_found':              { status: 404, expose: true,  retryable: false },
  'path.method':                 { status: 405, expose: true,  retryable: false },
  'probe.failed':                { status: 422, expose: true,  retryable: false },
  'rate.exceeded':               { status: 429, expose: true,  retryable: true  },
  'recovery.not_found':          { status: 404, expose: true,  retryable: false },
  'replica.behind':              { status: 503, expose: true,  retryable: true  },
  'replica.loading':             { status: 503, expose: true,  retryable: true  },
  'url.malformed':               { status: 400, expose: true,  retryable: false },
  'url.not_allowed':             { status: 422, expose: true,  retryable: false },
  'schedule.invalid':            { status: 400, expose: true,  retryable: false },
  'secret.last':                 { status: 409, expose: true,  retryable: false },
  'secret.too_many':             { status: 409, expose: true,  retryable: false },
  'subscription.disabled':       { status: 409, expose: true,  retryable: false },
  'subscription.not_owner':      { status: 403, expose: true,  retryable: false },
  'subscription.not_found':      { status: 404, expose: true,  retryable: false },
  'subscription.owned':          { status: 409, expose: true,  retryable: false },
  'subscription.too_many':       { status: 409, expose: true,  retryable: false },
  'type.unknown':                { status: 400, expose: true,  retryable: false },
  'watch.invalid':               { status: 400, expose: true,  retryable: false },
  'watch.not_found':             { status: 404, expose: true,  retryable: false },
  'watch.too_many':              { status: 409, expose: true,  retryable: false },
  'version.unknown':             { status: 404, expose: true,  retryable: false },
  'version.not_retained':        { status: 410, expose: true,  retryable: false },
  'write.conflict':              { status: 409, expose: true,  retryable: true  },
  'write.precondition':          { status: 412, expose: true,  retryable: false },
  'write.precondition_required': { status: 428, expose: true,  retryable: false },
} as const satisfies Record<string, { status: number; expose: boolean; retryable: boolean }>;
export type ErrorCode = keyof typeof CODES;

/** One finding of a validator. `path` is a dotted path from the envelope, `code` is for programs, `message` contract text. */
export interface Issue {
  path: string;
  /** JSON pointer (RFC 6901); absent where it follows from `path`. */
  pointer?: string;
  code: string;
  message: string;
}

interface Extras {
  /** A message that is safe in replies and histories when `message` is not: it names the party that failed, without address. */
  publicMessage?: string;
  /** For logs only; never reaches a client, a history or a status. */
  detail?: unknown;
  cause?: unknown;
  issues?: readonly Issue[];
  /** The faults of a request under `/v2`, one by one. */
  problems?: readonly Problem[];
  /** Further members of the problem document, such as the current `etag`. */
  members?: Readonly<Record<string, unknown>>;
}

/** The one error class. `message` is for whoever may read it (`expose`), `detail` and `cause` are for the log. */
export class SlipwayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly expose: boolean;
  readonly retryable: boolean;
  readonly publicMessage: string | undefined;
  readonly detail: unknown;
  readonly issues: readonly Issue[];
  readonly problems: readonly Problem[];
  readonly members: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    message: string,
    { publicMessage, detail, cause, issues = [], problems = [], members = {} }: Extras = {},
  ) {
    super(message, { cause });
    this.name = 'SlipwayError';
    this.code = code;
    this.publicMessage = publicMessage;
    this.detail = detail;
    this.issues = issues;
    this.problems = problems;
    this.members = members;
    ({ status: this.status, expose: this.expose, retryable: this.retryable } = CODES[code]);
  }
}

/** `PREFIX: first; second`, the form that clients compare as a whole (management API, section 1.1). */
export function validationError(prefix: string, issues: readonly Issue[]): SlipwayError {
  return new SlipwayError('validation_failed', `${prefix}: ${issues.map((issue) => issue.message).join('; ')}`, {
    issues,
  });
}

/** A service that cannot be used for now, in a message for everybody. */
export function unavailable(publicMessage: string, cause?: unknown): SlipwayError {
  return new SlipwayError('unavailable', publicMessage, { publicMessage, cause });
}

export function notFound(id: string): SlipwayError {
  return new SlipwayError('not_found', `entity "${id}" is not found`);
}

/** Ends a `switch` over a union: adding a member without a case is a compile error. */
export function unreachable(value: never): never {
  throw new SlipwayError('internal', `unexpected value ${JSON.stringify(value)}`);
}
