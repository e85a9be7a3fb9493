import type { Middleware } from 'koa';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { mayCall } from './policy.js';
import type { ApiState } from './state.js';

/** Before the body is read and anything is looked up: a forbidden call on a missing id is 403. */
export const authorization: Middleware<ApiState> = async function authorization(ctx, next) {
  const { route, allowed, caller } = ctx.state;
  if (route === '') {
    if (allowed.length === 0) throw new SlipwayError('not_found', '404 page not found');
    ctx.set('Allow', allowed.join(', '));
    throw new SlipwayError('method_not_allowed', `method ${ctx.method} is not allowed here`);
  }
  if (!mayCall(route, caller?.roles ?? [])) throw new SlipwayError('forbidden', 'Forbidden');
  await next();
};
