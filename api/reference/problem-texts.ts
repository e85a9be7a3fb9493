import type { ErrorCode } from '../../resources/errors.js';

interface Explanation {
  /** The same for every occurrence. */
  title: string;
  /** What to do about it. */
  help: string;
}

type V2Code = Extract<ErrorCode, `${string}.${string}`> | 'internal' | 'store.unavailable';

/** What `type` of a problem document leads to. */
// prettier-ignore
export const PROBLEM_TEXTS: Readonly<Record<V2Code, Explanation>> = {
  'accept.unsupported':          { title: 'No such representation', help: 'Answers are application/json, with ids=string or ids=number as a parameter.' },
  'auth.invalid':                { title: 'The credential is not accepted', help: 'The key is unknown, revoked or expired, or the token is not one of the configured issuer, for this audience, and still valid.' },
  'auth.required':               { title: 'A credential is needed', help: 'Send x-api-key, or Authorization with Bearer and a JWT.' },
  'auth.scope':                  { title: 'The credential does not allow this', help: 'The detail names the scope that is missing; whoever issued the key or token can give one that has it.' },
  'auth.two_credentials':        { title: 'Two credentials at once', help: 'Send x-api-key or Authorization, not both.' },
  'body.malformed':              { title: 'The body cannot be read', help: 'The detail says where it stops being valid.' },
  'body.too_large':              { title: 'The body is too large', help: 'The detail says the limit; many rows go through an import.' },
  'body.type':                   { title: 'The content type does not fit', help: 'The detail says which one does.' },
  'dataset.invalid':             { title: 'The declaration cannot be used', help: 'Every problem is listed with a pointer into the body.' },
  'dataset.not_found':           { title: 'There is no such dataset', help: 'GET /v2/datasets lists those that there are.' },
  'dataset.schema_conflict':     { title: 'The declaration stands against it', help: 'A changed declaration must fit every stored row; a write must fit the declaration of its moment.' },
  'delivery.in_flight':          { title: 'The delivery goes on by itself', help: 'Wait for its next outcome, or pause the subscription first.' },
  'delivery.not_held':           { title: 'The delivery is not held', help: 'Only what waits for a decision can be confirmed.' },
  'delivery.not_found':          { title: 'There is no such delivery', help: 'Deliveries are numbered from 1 on; GET /v2/subscriptions/{id}/deliveries lists the newest.' },
  'entity.deleted':              { title: 'The entity was deleted', help: 'A PUT brings it back; its versions go on.' },
  'entity.invalid':              { title: 'The entity does not fit its dataset', help: 'Every problem is listed with a pointer into the body.' },
  'entity.not_found':            { title: 'There is no such entity', help: 'The id is well formed, and no entity of the dataset has it.' },
  'entity.restricted':           { title: 'Something refers to it', help: 'Delete or change what refers to it first.' },
  'feed.ack_ahead':              { title: 'That was not handed out', help: 'A consumer acknowledges what it got from next; the problem names how far that is.' },
  'feed.consumer_not_found':     { title: 'There is no such consumer', help: 'A consumer begins with its first next, or with PUT; GET .../consumers lists them.' },
  'feed.cursor_expired':         { title: 'The cursor is too old', help: 'What comes next is not kept any more; retained_from is the oldest number that is.' },
  'feed.cursor_malformed':       { title: 'This is no cursor', help: 'Use the cursor of an item, or next_cursor, of the same feed as it is.' },
  'event_type.not_found':        { title: 'There is no such event type', help: 'GET /v2/event-types lists the types that there are, in their present versions; old ones are kept as long as the log.' },
  'fields.unknown':              { title: 'There is no such field', help: 'The problem names the closest field.' },
  'filter.invalid':              { title: 'The filter cannot be used', help: 'Every problem is listed with its position, what is expected there and the closest word.' },
  'graphql.invalid':             { title: 'The document is not valid', help: 'Each error names its place; the schema can be asked for by introspection.' },
  'graphql.operation':           { title: 'There is no such operation', help: 'Of several operations operationName names the one; only queries are executed.' },
  'graphql.persisted_mismatch':  { title: 'The digest is not that of the query', help: 'sha256Hash is the SHA-256 of the text in query, in hexadecimal digits.' },
  'graphql.persisted_not_found': { title: 'No query is known by this digest', help: 'Send query and digest together once; this process may have forgotten it or never seen it.' },
  'graphql.too_costly':          { title: 'The request costs too much', help: 'The costliest path is named: ask for fewer rows there, or for less of each.' },
  'graphql.too_deep':            { title: 'The request is nested too deep', help: 'The detail says the limit; the error names the field that is one too deep.' },
  'graphql.too_long':            { title: 'The document is too long', help: 'The detail says the limit, in tokens of the language.' },
  'graphql.too_many_aliases':    { title: 'The document has too many aliases', help: 'The detail says the limit.' },
  'graphql.variables':           { title: 'A variable cannot be used', help: 'Each error names the variable and what its type takes.' },
  'id.malformed':                { title: 'This is no id', help: 'Ids are integers from 1 to 9223372036854775807, in digits alone.' },
  'idempotency.mismatch':        { title: 'The Idempotency-Key was used before', help: 'A key belongs to one call and its body: draw a new one.' },
  'import.not_found':            { title: 'There is no such import', help: 'Imports are kept for some days after their end.' },
  'import.offset':               { title: 'The upload goes on elsewhere', help: 'The problem names the right offset.' },
  'import.rows':                 { title: 'Rows cannot be imported', help: 'The import lists them with their lines.' },
  'import.running':              { title: 'An import holds the dataset', help: 'Its changes are announced together at its end; until then other writes are refused.' },
  'import.state':                { title: 'The import is past this', help: 'The problem names its state.' },
  'key.not_found':               { title: 'There is no such key', help: 'GET /v2/keys lists those that there are.' },
  'lookup.not_declared':         { title: 'The dataset has no lookup', help: 'Its declaration names no fields to look up; searches with a filter are possible.' },
  'lookup.q_required':           { title: 'Nothing to look up', help: 'Send q, the text typed so far; an empty one lists the most popular rows.' },
  'lookup.query_too_long':       { title: 'The text is too long', help: 'The detail says the limit.' },
  'order.invalid':               { title: 'The order cannot be used', help: 'order_by takes up to three sortable fields, each with asc or desc, none of them twice.' },
  'order.unknown_field':         { title: 'There is no such field to sort by', help: 'The problem names the closest field; a list cannot be sorted by.' },
  'page.size':                   { title: 'There is no such page size', help: 'page_size is an integer from 1 on; above the limit the limit is used.' },
  'page.token_expired':          { title: 'The walk took too long', help: 'The version that it reads is not kept any more: begin again.' },
  'page.token_malformed':        { title: 'This is no page token', help: 'Use next_page_token of the page before as it is.' },
  'page.token_mismatch':         { title: 'The page token belongs to another request', help: 'Dataset, filter, order and as_of must stay the same within a walk.' },
  'parameter.invalid':           { title: 'A parameter cannot be used', help: 'The detail names it and what it takes.' },
  'parameter.unknown':           { title: 'There is no such parameter', help: 'The detail names it; no parameter is ever ignored.' },
  'path.not_found':              { title: 'There is nothing here', help: 'GET /v2/openapi.json lists every path.' },
  'path.method':                 { title: 'The path does not take this method', help: 'The header Allow lists those that it takes.' },
  'probe.failed':                { title: 'The receiver did not take a probe', help: 'sent and received say what was asked and what came back: the receiver must answer a signed notice of type ops.probe with 2xx.' },
  'rate.exceeded':               { title: 'Too many requests', help: 'Retry-After says when to come again.' },
  'replica.behind':              { title: 'This process is not that far yet', help: 'Try again after Retry-After.' },
  'replica.loading':             { title: 'The dataset is being loaded', help: 'Try again after Retry-After; GET /v2/health says how far it is.' },
  'url.malformed':               { title: 'The address is no URL', help: 'The pointer says which one; an address is an absolute URL without blanks.' },
  'url.not_allowed':             { title: 'The address cannot be used', help: 'Addresses are https, on an allowed port, without user or fragment, and lead to public networks or those that the installation opens.' },
  'secret.last':                 { title: 'The last key stays', help: 'Add another key first, with POST .../secrets.' },
  'secret.too_many':             { title: 'Too many keys', help: 'Remove one with DELETE .../secrets/{kid}, or let one expire.' },
  'subscription.not_found':      { title: 'There is no such subscription', help: 'GET /v2/subscriptions lists those that there are.' },
  'type.unknown':                { title: 'There is no such event type', help: 'GET /v2/event-types lists those that there are; dataset.<name>.* or pipeline.* stands for all of a family.' },
  'version.not_retained':        { title: 'That version is not kept any more', help: 'The detail says from which version on reading is possible.' },
  'write.conflict':              { title: 'Others were faster', help: 'Read the entity and try again.' },
  'write.precondition':          { title: 'The entity is not as you expect', help: 'The problem has its current etag: read it again, then decide.' },
  'write.precondition_required': { title: 'Say which version you mean', help: 'Send If-Match with the ETag of the entity, or If-None-Match: * to create it.' },
  'store.unavailable':           { title: 'The database does not answer', help: 'Reading goes on; try the write again after Retry-After.' },
  'internal':                    { title: 'Something unexpected happened', help: 'The instance names the request; its cause is in the log of the service.' },
};

export const isExplained = (code: string): code is V2Code => Object.hasOwn(PROBLEM_TEXTS, code);
