import { Router } from '@koa/router';
import { matchRoute, requireMatch } from '../http/routing.js';
import { covers } from '../../platform/kinds/scope.js';
import { auditStep, type AuditStepOptions } from './audit-step.js';
import { requireScope } from './credentials.js';
import { requireUnruled } from './row-rules.js';
import type { ReferenceState, ReferenceStep } from './state.js';

/** The right that a caller needs: a scope, one of the dataset in the path, any credential, or nothing at all. */
type Need =
  | 'data:read'
  | 'data:lookup'
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

/** One row of the route table: a request, the right that its caller needs, and the steps that answer it in order. */
export interface Route {
  method: Method;
  /** `:name` is a part of the path. */
  path: string;
  need: Need;
  steps: readonly ReferenceStep[];
  /** Whether its steps apply the row filters of a key; other routes refuse such keys. */
  appliesRowFilters?: boolean;
}

export const route = (method: Method, path: string, need: Need, ...steps: ReferenceStep[]): Route => ({
  method,
  path,
  need,
  steps,
});

/** A route whose steps apply the row filters of a key. */
export const filtered = (...given: Parameters<typeof route>): Route => ({
  ...route(...given),
  appliesRowFilters: true,
});

/**
 * Creates the router of a route table.
 * @param routes a literal path comes before one with a parameter in its position
 * @param identify steps that find the caller and count the request
 */
export function createReferenceRouter(
  routes: readonly Route[],
  identify: readonly ReferenceStep[],
  options: AuditStepOptions,
) {
  const router = new Router<ReferenceState>();
  for (const { method, path, need, steps, appliesRowFilters = false } of routes) {
    const audited = auditStep(method.toUpperCase(), path, options);
    const before = need === 'nothing' ? [] : [...identify, audited, authorize(need, appliesRowFilters)];
    router[method](path, ...before, ...steps);
  }
  const requireRoute: ReferenceStep = async (ctx, next) => {
    const notFound = `there is no path "${ctx.path.slice(0, 200)}": GET /v2/openapi.json lists every path`;
    requireMatch(ctx, matchRoute(router, ctx), notFound);
    await next();
  };
  return { router, requireRoute };
}

const datasetIn = (params: Readonly<Record<string, string>>): string => params.dataset ?? params.name ?? '';

/** The scope that a request needs, for a lookup the wider one of two; undefined where any credential is enough. */
function scopeOf(need: Need, params: Readonly<Record<string, string>>): string | undefined {
  if (need === 'credential' || need === 'nothing') return undefined;
  if (need === 'data:lookup') return scopeOf('data:read', params);
  const isOfDataset = need === 'data:read' || need === 'data:write';
  return isOfDataset ? `${need}:${datasetIn(params)}` : need;
}

/** Runs before the body is read and anything is looked up. */
function authorize(need: Need, appliesRowFilters: boolean): ReferenceStep {
  return async (ctx, next) => {
    const scope = scopeOf(need, ctx.params);
    const isLookup =
      need === 'data:lookup' && covers(ctx.state.client.scopes, `data:lookup:${ctx.params.dataset ?? ''}`);
    if (scope !== undefined && !isLookup) requireScope(ctx.state.client, scope);
    if (!appliesRowFilters) requireUnruled(ctx.state.client, need === 'data:read' ? datasetIn(ctx.params) : undefined);
    await next();
  };
}
