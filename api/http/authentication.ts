import type { Middleware } from 'koa';
import type { Issuer } from '../../platform/auth/issuer.js';
import { bearerToken, createTokenVerifier } from '../../platform/auth/token-verifier.js';
import { tokenMissing } from '../../platform/auth/unauthenticated.js';
import type { RoleRules } from '../../platform/kinds/roles.js';
import { toCaller } from './caller.js';
import { isOpen } from './policy.js';
import type { ApiState } from './state.js';

export interface AuthenticationOptions extends RoleRules {
  issuer: Issuer;
  audience: string[];
}

/**
 * Requires `Authorization: Bearer <id_token or access token>` of the issuer everywhere but on the open pages.
 * @throws unauthenticated; unavailable when the issuer's keys cannot be read
 */
export function authentication({ issuer, audience, ...rules }: AuthenticationOptions): Middleware<ApiState> {
  const verify = createTokenVerifier({ issuer, audience, toIdentity: (claims) => toCaller(claims, rules) });
  return async function authentication(ctx, next) {
    if (!isOpen(ctx.state.route)) {
      const token = bearerToken(ctx.get('authorization'));
      if (token === undefined) throw tokenMissing();
      ctx.state.caller = await verify(token);
    }
    await next();
  };
}
