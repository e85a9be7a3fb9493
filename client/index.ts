/** `slipway/client`: the management API and deployed models, from TypeScript or JavaScript. */
export { clientCredentials, fixedToken, requestToken } from './auth.js';
export type { ClientCredentialsOptions, Token, TokenCache, TokenSource } from './auth.js';
export { createSlipway } from './client.js';
export type { Credentials, Slipway, SlipwayOptions } from './client.js';
export { discoverTokenEndpoint } from './discovery.js';
export type { CallOptions, ChangeOptions, Entities, Filters, Revision } from './entities.js';
export { isTemporary, SlipwayApiError } from './errors.js';
export type { Issue } from './errors.js';
export { sampleOf } from './inference.js';
export type { Feedback, Prediction } from './inference.js';
export { KIND_PATHS } from './kinds.js';
export type { Entity, EntityRequest, Kind, LogKind, RunKind } from './kinds.js';
export type { LogOptions } from './log.js';
export type { components, operations, paths } from './openapi.js';
export { hasRun, outcomeOf, stateOf } from './outcome.js';
export type { Outcome } from './outcome.js';
export type { WaitOptions } from './wait.js';
