import type { Claims } from '../../platform/auth/token-verifier.js';
import { type RoleRules, rolesOf } from '../../platform/kinds/roles.js';

/** The caller that a verified token names. */
export interface Caller {
  sub: string;
  /** A display name; service accounts have their client id. */
  name: string;
  /** `''` when the token has none. */
  email: string;
  /** Platform roles and free role names. */
  roles: readonly string[];
  /** The verified claims as they came. */
  claims: Readonly<Record<string, unknown>>;
}

export function toCaller(claims: Claims, rules: RoleRules): Caller {
  const first = (...names: string[]): string =>
    names.map((name) => claims[name]).find((value): value is string => typeof value === 'string' && value !== '') ?? '';
  return {
    sub: claims.sub,
    name: first('name', 'preferred_username', 'client_id', 'azp', 'sub'),
    email: first('email'),
    roles: rolesOf(claims, rules),
    claims,
  };
}
