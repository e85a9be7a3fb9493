import type { Middleware } from 'koa';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { admittedTo, mayCall } from './policy.js';
import { requireMatch } from './routing.js';
import type { ApiState } from './state.js';

/** Runs before the body is read and anything is looked up: a forbidden call on a missing id is 403. */
export const authorization: Middleware<ApiState> = async function authorization(ctx, next) {
  const { route, allowed, caller } = ctx.state;
  requireMatch(ctx, { pattern: route === '' ? undefined : route, allowed }, '404 page not found');
  const roles = caller?.roles ?? [];
  if (!mayCall(route, roles)) {
    const held = roles.length === 0 ? 'no role' : roles.join(', ');
    const message = `${route} is open to ${anyOf(admittedTo(route))}; the token has ${held}`;
    throw new SlipwayError('forbidden', 'Forbidden', { issues: [{ path: '', pointer: '', code: 'role', message }] });
  }
  await next();
};

const anyOf = (roles: readonly string[]): string => roles.join(' or ') || 'no role';
