import type { Middleware } from 'koa';
import { type ApiGroup, groupsOf } from '../../lifecycle/kinds/api-groups.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ApiState } from './state.js';

/** Refuses writes to resources of a disabled group; reads still work. */
export function disabledGroups({ disabled }: { disabled: readonly ApiGroup[] }): Middleware<ApiState> {
  return async function disabledGroups(ctx, next) {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead && groupsOf(ctx.path).some((group) => disabled.includes(group))) {
      throw new SlipwayError('api_disabled', 'This API is disabled');
    }
    await next();
  };
}
