import type { Issuer } from '../../platform/auth/issuer.js';
import { createTokenVerifier, type VerifyToken } from '../../platform/auth/token-verifier.js';
import { type RoleRules, rolesOf } from '../../platform/kinds/roles.js';
import { scopesOf } from '../../platform/kinds/scope.js';
import type { Client } from './state.js';

export interface BearerOptions extends RoleRules {
  issuer: Issuer;
  audience: string[];
  /** Whether the claims `scope` and `scp` grant scopes, beside those of the roles. */
  ownScopes?: boolean;
}

/** Verifies bearer tokens of clients of reference data. @throws unauthenticated; unavailable */
export const createBearer = ({ issuer, audience, ownScopes = true, ...rules }: BearerOptions): VerifyToken<Client> =>
  createTokenVerifier({
    issuer,
    audience,
    toIdentity: (claims) => ({
      actor: actorOf(claims.sub),
      scopes: scopesOf(ownScopes ? claims : {}, rolesOf(claims, rules)),
    }),
  });

/** Keys of the API are actors too, by `key:<key id>`: a subject of that form is prefixed, and so is one with the prefix. */
const actorOf = (subject: string): string => (/^(key|jwt):/.test(subject) ? `jwt:${subject}` : subject);
