import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { ApiState } from './state.js';

/** Finds the row of the policy table for the request; what has none is told apart later, when the caller is known. */
export function findRoute(router: Router<ApiState>): Middleware<ApiState> {
  return async function findRoute(ctx, next) {
    const { path, pathAndMethod } = router.match(ctx.path, ctx.method);
    const pattern = pathAndMethod.at(-1)?.path;
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    ctx.state.route = pattern === undefined ? '' : `${method} ${pattern.toString()}`;
    ctx.state.allowed = [...new Set(path.flatMap((layer) => layer.methods))].sort();
    await next();
  };
}
