import type { Issuer } from '../../platform/auth/issuer.js';
import { createTokenVerifier, type VerifyToken } from '../../platform/auth/token-verifier.js';
import { rolesOf } from '../../platform/kinds/roles.js';
import { scopesOf } from '../../platform/kinds/scope.js';
import type { Client } from './state.js';

export interface BearerOptions {
  issuer: Issuer;
  audience: string[];
  /** Dotted paths of claims that carry roles. */
  roleClaims: readonly string[];
}

/** Verifies bearer tokens of clients of reference data. @throws unauthenticated; unavailable */
export const createBearer = ({ issuer, audience, roleClaims }: BearerOptions): VerifyToken<Client> =>
  createTokenVerifier({
    issuer,
    audience,
    toIdentity: (claims) => ({ actor: claims.sub, scopes: scopesOf(claims, rolesOf(claims, roleClaims)) }),
  });
