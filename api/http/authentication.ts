import type { Middleware } from 'koa';
import jwt from 'koa-jwt';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { toCaller } from './caller.js';
import type { Issuer } from './issuer.js';
import { isOpen } from './policy.js';
import type { ApiState } from './state.js';

const LEEWAY_SECONDS = 30;

export interface AuthenticationOptions {
  issuer: Issuer;
  audience: string[];
  /** Dotted paths of claims that carry roles. */
  roleClaims: readonly string[];
}

/**
 * Wants `Authorization: Bearer <id_token or access token>` of our issuer everywhere but on the open pages.
 * @throws unauthenticated; unavailable when the issuer's keys cannot be read
 */
export function authentication({ issuer, audience, roleClaims }: AuthenticationOptions): Middleware<ApiState> {
  // koa-jwt hands its options on to jsonwebtoken, which knows `clockTolerance`; its types do not say so.
  const options: jwt.Options & { clockTolerance: number } = {
    secret: (header: { kid?: string }) => issuer.findKey(header),
    key: 'claims',
    issuer: issuer.url,
    audience,
    // Never symmetric: a public key must not pass as a shared secret.
    algorithms: ['RS256', 'ES256'],
    clockTolerance: LEEWAY_SECONDS,
    // A token without an end would outlive every change of rights.
    isRevoked: async (_ctx, claims) => !('exp' in claims),
  };
  const verify = jwt(options);
  return async function authentication(ctx, next) {
    if (!isOpen(ctx.state.route)) {
      // Verified with an empty `next`, so that errors of later steps are not taken for errors of the token.
      try {
        await verify(ctx, async () => {});
      } catch (cause) {
        refuse(cause);
      }
      ctx.state.caller = toCaller(ctx.state.claims, roleClaims);
    }
    await next();
  };
}

function refuse(cause: unknown): never {
  const original = cause instanceof Error && 'originalError' in cause ? cause.originalError : undefined;
  if (original instanceof SlipwayError) throw original;
  throw new SlipwayError('unauthenticated', 'Unauthorized', { cause });
}
