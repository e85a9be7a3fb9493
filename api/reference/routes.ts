import { Router } from '@koa/router';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { requireScope } from './credentials.js';
import type { ReferenceState, ReferenceStep } from './state.js';

/** What a caller needs: a scope, one of the dataset in the path, any credential, or nothing at all. */
type Need =
  | 'data:read'
  | 'data:write'
  | 'datasets:admin'
  | 'keys:admin'
  | 'subscriptions:read'
  | 'subscriptions:write'
  | 'watches:read'
  | 'watches:write'
  | 'credential'
  | 'nothing';
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Route {
  method: Method;
  /** `:name` is a part of the path. */
  path: string;
  need: Need;
  steps: readonly ReferenceStep[];
}

export const route = (method: Method, path: string, need: Need, ...steps: ReferenceStep[]): Route => ({
  method,
  path,
  need,
  steps,
});

/**
 * @param routes a path that stands for itself comes before one with a name in its place
 * @param identify finds out who calls, and whether they may call so often
 */
export function createReferenceRouter(routes: readonly Route[], identify: readonly ReferenceStep[]) {
  const router = new Router<ReferenceState>();
  for (const { method, path, need, steps } of routes) {
    const before = need === 'nothing' ? [] : [...identify, authorize(need)];
    router[method](path, ...before, ...steps);
  }
  /** A path belongs to the first route that takes it: `DELETE /v2/skills/search` is not about a row called "search". */
  const requireRoute: ReferenceStep = async (ctx, next) => {
    const { path: layers } = router.match(ctx.path, ctx.method);
    const methods = new Set(layers.filter(({ path }) => path === layers[0]?.path).flatMap((layer) => layer.methods));
    if (methods.size === 0) throw new SlipwayError('path.not_found', 'there is nothing at this path');
    if (!methods.has(ctx.method)) {
      ctx.set('Allow', [...methods].sort().join(', '));
      throw new SlipwayError('path.method', `${ctx.method} is not allowed here`);
    }
    await next();
  };
  return { router, requireRoute };
}

/** Before the body is read and anything is looked up. */
function authorize(need: Exclude<Need, 'nothing'>): ReferenceStep {
  return async (ctx, next) => {
    if (need === 'data:read' || need === 'data:write') {
      requireScope(ctx.state.client, `${need}:${ctx.params.dataset ?? ctx.params.name ?? ''}`);
    } else if (need !== 'credential') requireScope(ctx.state.client, need);
    await next();
  };
}
