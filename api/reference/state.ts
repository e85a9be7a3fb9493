import type { Next } from 'koa';
import type { HttpContext, HttpState } from '../http/state.js';

/** The verified caller, by API key or by token. */
export interface Client {
  /** Name in change records: `key:<key id>` or the subject of the token. */
  actor: string;
  scopes: readonly string[];
  /** Filters of its key by dataset: the client reads and writes only the rows that match. */
  rowFilters?: ReadonlyMap<string, string>;
}

/** The state that the middleware of `/v2` sets before the steps of a route run. */
export interface ReferenceState extends HttpState {
  client: Client;
}

export interface ReferenceContext extends HttpContext<ReferenceState> {
  params: Readonly<Record<string, string>>;
}
export type ReferenceStep = (ctx: ReferenceContext, next: Next) => Promise<void>;
