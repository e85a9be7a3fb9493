import type { Middleware } from 'koa';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { mayCall } from './policy.js';
import { requireMatch } from './routing.js';
import type { ApiState } from './state.js';

/** Runs before the body is read and anything is looked up: a forbidden call on a missing id is 403. */
export const authorization: Middleware<ApiState> = async function authorization(ctx, next) {
  const { route, allowed, caller } = ctx.state;
  requireMatch(ctx, { pattern: route === '' ? undefined : route, allowed }, '404 page not found');
  if (!mayCall(route, caller?.roles ?? [])) throw new SlipwayError('forbidden', 'Forbidden');
  await next();
};
