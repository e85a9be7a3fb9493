import type { ExtendableContext, Next } from 'koa';

/** Who calls, whichever credential was shown. */
export interface Client {
  /** Name in change records: `key:<key id>` or the subject of the token. */
  actor: string;
  scopes: readonly string[];
}

/** What the middleware in front of every route leaves for it. */
export interface ReferenceState {
  requestId: string;
  client: Client;
}

/** What a step sees of koa's context; structural for the same reason as `ApiContext`. */
export interface ReferenceContext extends Pick<
  ExtendableContext,
  | 'accepts'
  | 'body'
  | 'get'
  | 'headers'
  | 'method'
  | 'path'
  | 'querystring'
  | 'req'
  | 'request'
  | 'res'
  | 'response'
  | 'set'
  | 'status'
  | 'type'
> {
  state: ReferenceState;
  params: Readonly<Record<string, string>>;
}
export type ReferenceStep = (ctx: ReferenceContext, next: Next) => Promise<void>;
