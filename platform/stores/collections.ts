import type { Kind } from '../kinds/resource.js';

/**
 * Every collection with the shape of its `_id`:
 *
 *   <Kind>           `<id>`                      newest known revision of a resource; a removed one leaves a small row
 *   <Kind>Log        `<id>/<revision>`           every revision; inserting one is the commit
 *   <Kind>Feed       `<position, 12 digits>`     revisions in one order, for readers with a cursor
 *   <Kind>FeedMark   `<id>/<revision>`           the one position that counts for a revision
 *   Endpoint         `<deployment id>`           the route table
 *   Idempotency      `<SHA-256 of caller, method, path and key>/<attempt>`
 *   Reuse            `<training|packaging>/<SHA-256 of the inputs>`
 *   Audit            `<position, 12 digits>`     append-only, in one order
 *   Lineage          `<position, 12 digits>`     append-only: what a generation of a resource used and made
 *   FeedbackCount    `<model name>`              feedback records since the first request for a count, and the uploads they are from
 *   FeedbackDrift    `<SHA-256 of a question>`   errors of its window, and the uploads they are from
 *
 * Reference data:
 *
 *   changes          `<dataset>/<id>/<version>`  every version of every entity; inserting one decides who writes it
 *   log              `<stream>#<position>`       the order in which changes count, one stream per dataset, and
 *                                                `datasets` (their names) and `keys`; `pipeline`, `watch` and `ops`, what
 *                                                happened elsewhere; of each subscription what people did to its notices
 *   keyUse           `<key id>`                  when an API key was used last, give or take a minute
 *   reservedId       `<dataset>/<hash of caller, path and Idempotency-Key>`   id of the entity that a call creates
 *   imports          `<import id>`
 *   openImports      `<import id>`               imports that may want looking after: uploads, and runs that go on
 *
 * Notifications:
 *
 *   events               `<stream>/<what it is made of>`       of an event outside of datasets, its position in the stream
 *   outbox               `<subscription>#<block>`              notices, minted; inserting a block is the commit
 *                        `<subscription>#kept/<sequence>`     one that waits for people, its block being gone
 *   outboxMark           `<subscription>`                      where what is kept of its outbox begins
 *   attempts             `<subscription>#<sequence>/<n>`       an intent to send, before the first byte
 *                        `.../<n>/outcome`, `.../<n>/late`     how it ended; what was seen after it had been given up
 *                        `.../<n>/receipt/<k>`                 what the receiver said of an unclear attempt
 *                        `.../settled/<e>`, `.../replay/<e>`   the end of an episode that no outcome implies; its beginning
 *   recoveries           `<subscription>#<n>`, `.../end`        orders to send notices once more; what came of them
 *   progress             `<subscription>`                      a cache of what follows from those: old at times, never wrong
 *   watchState           `<watch>`                             what its evaluator last said: for people alone
 */
export const collections = {
  entity: (kind: Kind) => kind,
  log: (kind: Kind) => `${kind}Log`,
  feed: (kind: Kind) => `${kind}Feed`,
  feedMark: (kind: Kind) => `${kind}FeedMark`,
  endpoint: 'Endpoint',
  idempotency: 'Idempotency',
  reuse: 'Reuse',
  audit: 'Audit',
  lineage: 'Lineage',
  feedbackCount: 'FeedbackCount',
  feedbackDrift: 'FeedbackDrift',
  changes: 'changes',
  streams: 'log',
  keyUse: 'keyUse',
  reservedId: 'reservedId',
  events: 'events',
  outbox: 'outbox',
  outboxMark: 'outboxMark',
  attempts: 'attempts',
  recoveries: 'recoveries',
  progress: 'progress',
  imports: 'imports',
  watchState: 'watchState',
  openImports: 'openImports',
} as const;

/** Kinds whose changes clients read as events. */
export const FEED_KINDS: readonly Kind[] = ['ModelDeployment', 'ModelRoute'];
