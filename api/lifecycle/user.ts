import { Router } from '@koa/router';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ApiState, Step } from '../http/state.js';

const TEXT_CLAIMS = ['name', 'email'] as const;

export function userRoutes() {
  const checkClaims: Step = async (ctx, next) => {
    for (const name of TEXT_CLAIMS) {
      const value = ctx.state.caller.claims[name];
      if (value !== undefined && value !== null && typeof value !== 'string') {
        throw new SlipwayError('bad_query', `Malformed JWT: ${name} claim is not the string type`);
      }
    }
    await next();
  };
  const reply: Step = async (ctx) => {
    const { sub, name, email, roles } = ctx.state.caller;
    ctx.body = { username: name, email, sub, roles };
  };
  return new Router<ApiState>({ prefix: '/api/v1/user' }).get('/info', checkClaims, reply);
}
