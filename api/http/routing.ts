import type { Middleware } from 'koa';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ApiState, HttpContext } from './state.js';

interface Matcher {
  match(path: string, method: string): { path: readonly { path: string | RegExp; methods: readonly string[] }[] };
}

export interface RouteMatch {
  /** The path of the route, with the names of its parameters; undefined when no route takes path and method. */
  pattern: string | undefined;
  /** Methods that the path takes. */
  allowed: readonly string[];
}

/** A path belongs to the first route that takes it: `DELETE /v2/skills/search` is not about a row called "search". */
export function matchRoute(router: Matcher, { path, method }: Pick<HttpContext, 'path' | 'method'>): RouteMatch {
  const routes = router.match(path, method).path.filter(({ methods }) => methods.length > 0);
  const first = routes[0]?.path;
  const allowed = [...new Set(routes.filter((each) => each.path === first).flatMap(({ methods }) => methods))].sort();
  return { pattern: allowed.includes(method) ? first?.toString() : undefined, allowed };
}

/** @throws path.not_found, path.method with the header `Allow` */
export function requireMatch(
  ctx: Pick<HttpContext, 'method' | 'set'>,
  { pattern, allowed }: RouteMatch,
  notFound: string,
): void {
  if (pattern !== undefined) return;
  if (allowed.length === 0) throw new SlipwayError('path.not_found', notFound);
  const methods = allowed.join(', ');
  ctx.set('Allow', methods);
  throw new SlipwayError('path.method', `method ${ctx.method} is not allowed here: use ${methods}`);
}

/** Finds the row of the policy table; a path without one is refused after the caller is known. */
export function findRoute(router: Matcher): Middleware<ApiState> {
  return async function findRoute(ctx, next) {
    const { pattern, allowed } = matchRoute(router, ctx);
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    ctx.state.route = pattern === undefined ? '' : `${method} ${pattern}`;
    ctx.state.allowed = allowed;
    await next();
  };
}
