import type { Kind } from '../kinds/resource.js';

/**
 * Every collection with the shape of its `_id`:
 *
 *   <Kind>           `<id>`                      newest known revision of a resource; a removed one leaves a small row
 *   <Kind>Log        `<id>/<revision>`           every revision; inserting one is the commit
 *   <Kind>Feed       `<position, 12 digits>`     revisions in one order, for readers with a cursor
 *   <Kind>FeedMark   `<id>/<revision>`           the one position that counts for a revision
 *   Endpoint         `<deployment id>@<epoch>`   the route table: a row of each attempt that wrote it, the newest counts
 *   EndpointInfo     `<deployment id>@<epoch>`   the descriptions of the models in the route table
 *   RouteReader      `<gateway>`                 which epochs of deployments and revisions of routes a gateway serves, and calls
 *   DeploymentRevisions `<uid>`                  the last revisions of a deployment that had its traffic
 *   RouteReader      `<gateway>`                 which epochs of deployments and revisions of routes a gateway serves
 *   Measurement      `<process>`                 what a gateway or a worker measured of deployments in the last minutes
 *   Installation     `installation`              the id by which an installation knows its containers
 *                    `egress`                    the newest result of the check of what containers reach
 *   Leader           `<task>#<term>`             the process that does a task which one of several does at a time
 *   Idempotency      `<SHA-256 of caller, method, path and key>/<attempt>`; `.../renewed` while it takes long
 *   Reuse            `<training|packaging>/<SHA-256 of the inputs>`
 *   ImageUse         `<bases|environments>/<tag>` when an image in the platform's registry was used last
 *   Audit            `<position, 12 digits>`     append-only, in one order
 *   Lineage          `<position, 12 digits>`     append-only: what a generation of a resource used and made
 *   FeedbackCount    `<model name>`              feedback records since the first count, and their uploads
 *   FeedbackDrift    `<SHA-256 of a question>`   errors of its window, and the uploads they are from
 *
 * Reference data:
 *
 *   changes          `<dataset>/<id>/<version>`  every version of every row; inserting one decides its writer
 *   log              `<stream>#<position>`       the order in which changes count, one stream per dataset, and
 *                                                `datasets` (their names) and `keys`; `pipeline`, `watch` and `ops`, events of
 *                                                the platform; per subscription the operator actions on its deliveries;
 *                                                `Resources`, the ids of changed resources
 *   keyUse           `<key id>`                  when an API key was used last, give or take a minute
 *   reservedId       `<dataset>/<hash of caller, path and Idempotency-Key>`   id of the row that a call creates
 *   imports          `<import id>`
 *   openImports      `<import id>`               imports that upkeep checks: unfinished uploads and runs
 *
 * Notifications:
 *
 *   events               `<stream>/<what it is made of>`       the position of a platform event in its stream
 *   outbox               `<subscription>#<block>`              deliveries; inserting a block is the commit
 *                        `<subscription>#kept/<sequence>`     a held delivery whose block was purged
 *   outboxMark           `<subscription>`                      the beginning of the retained outbox
 *   attempts             `<subscription>#<sequence>/<n>`       an intent to send, before the first byte
 *                        `.../<n>/outcome`, `.../<n>/late`     how it ended; what was found after it was given up
 *                        `.../<n>/receipt/<k>`                 the receipt of an unclear attempt
 *                        `.../settled/<e>`, `.../replay/<e>`   the end of an episode without an outcome; its beginning
 *   recoveries           `<subscription>#<n>`, `.../end`        orders to send deliveries again; their results
 *   progress             `<subscription>`                      a cache derived from those: it may be old, never wrong
 *   lostWakeUp           `<subscription>`                      its wake-up did not reach Temporal
 *   watchState           `<watch>`                             the last state of its evaluator, for display only
 */
export const collections = {
  entity: (kind: Kind) => kind,
  log: (kind: Kind) => `${kind}Log`,
  feed: (kind: Kind) => `${kind}Feed`,
  feedMark: (kind: Kind) => `${kind}FeedMark`,
  endpoint: 'Endpoint',
  endpointInfo: 'EndpointInfo',
  routeReader: 'RouteReader',
  deploymentRevisions: 'DeploymentRevisions',
  measurement: 'Measurement',
  lostWakeUp: 'lostWakeUp',
  installation: 'Installation',
  leader: 'Leader',
  idempotency: 'Idempotency',
  reuse: 'Reuse',
  audit: 'Audit',
  lineage: 'Lineage',
  feedbackCount: 'FeedbackCount',
  feedbackDrift: 'FeedbackDrift',
  changes: 'changes',
  streams: 'log',
  keyUse: 'keyUse',
  imageUse: 'ImageUse',
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
