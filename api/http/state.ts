import type { ExtendableContext, Next } from 'koa';
import type { Caller } from './caller.js';

/** What the middleware in front of every route leaves for it. */
export interface ApiState {
  requestId: string;
  /** Who calls; absent on the open pages only. */
  caller: Caller;
  /** `GET /api/v1/model/training/:id`: the row of the policy table; `''` when no route matches. */
  route: string;
  /** Methods that the path knows. */
  allowed: readonly string[];
  /** Left by `readBody`: the parsed JSON, and its bytes for the idempotency hash. */
  body: unknown;
  bodyBytes: Buffer | undefined;
}

/**
 * What a step sees of koa's context. Structural, because koa's own context types of two routers do not fit each other,
 * and shared steps stand in all of them.
 */
export interface ApiContext<Extra extends object = object> extends Pick<
  ExtendableContext,
  | 'body'
  | 'flushHeaders'
  | 'fresh'
  | 'get'
  | 'headers'
  | 'method'
  | 'path'
  | 'querystring'
  | 'redirect'
  | 'req'
  | 'request'
  | 'res'
  | 'response'
  | 'set'
  | 'status'
  | 'type'
> {
  state: ApiState & Extra;
  params?: Readonly<Record<string, string>>;
}

/** A named step of an endpoint; `Extra` is what the steps of one endpoint hand to each other. */
export type Step<Extra extends object = object> = (ctx: ApiContext<Extra>, next: Next) => Promise<void>;
