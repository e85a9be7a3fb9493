import type { ExtendableContext, Next } from 'koa';
import type { Caller } from './caller.js';

/** The state that every request has on both sides, `/api/v1` and `/v2`. */
export interface HttpState {
  requestId: string;
}

/**
 * The part of koa's context that steps use. It is structural, because the context types of two routers do not fit each
 * other and a shared step serves all of them.
 */
export interface HttpContext<State extends object = HttpState> extends Pick<
  ExtendableContext,
  | 'accepts'
  | 'body'
  | 'flushHeaders'
  | 'fresh'
  | 'get'
  | 'headers'
  | 'method'
  | 'path'
  | 'querystring'
  | 'redirect'
  | 'remove'
  | 'req'
  | 'request'
  | 'res'
  | 'response'
  | 'set'
  | 'status'
  | 'type'
> {
  state: State;
  params?: Readonly<Record<string, string>>;
}

/** The state that the middleware of `/api/v1` sets before the steps of a route run. */
export interface ApiState extends HttpState {
  /** The verified caller; absent on the open pages only. */
  caller: Caller;
  /** `GET /api/v1/model/training/:id`: the row of the policy table; `''` when no route matches. */
  route: string;
  /** Methods that the path knows. */
  allowed: readonly string[];
  /** The parsed JSON, set by `readBody`, and its bytes for the idempotency hash. */
  body: unknown;
  bodyBytes: Buffer | undefined;
}

export type ApiContext<Extra extends object = object> = HttpContext<ApiState & Extra>;

/** A named step of an endpoint; `Extra` is the state that the steps of one endpoint pass to each other. */
export type Step<Extra extends object = object> = (ctx: ApiContext<Extra>, next: Next) => Promise<void>;
