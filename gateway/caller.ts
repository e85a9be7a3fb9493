import type { Issuer } from '../platform/auth/issuer.js';
import { bearerToken, createTokenVerifier } from '../platform/auth/token-verifier.js';
import { tokenMissing } from '../platform/auth/unauthenticated.js';
import { type RoleRules, rolesOf } from '../platform/kinds/roles.js';

/** A verified caller: the platform's roles and free role names. */
export interface Caller {
  /** The claim `sub`. */
  subject: string;
  roles: readonly string[];
}

/** @throws unauthenticated; unavailable when the issuer's keys cannot be read */
export type VerifyCaller = (authorization: string | undefined) => Promise<Caller>;

export interface CallerOptions extends RoleRules {
  issuer: Issuer;
  /** Accepted audiences. */
  audience: string[];
}

export function createVerifyCaller({ issuer, audience, ...rules }: CallerOptions): VerifyCaller {
  const verify = createTokenVerifier({
    issuer,
    audience,
    toIdentity: (claims): Caller => ({ subject: claims.sub, roles: rolesOf(claims, rules) }),
  });
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw tokenMissing();
    return verify(token);
  };
}
