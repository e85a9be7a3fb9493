import { isRecord } from '../../platform/kinds/lenient.js';
import { rolesOf } from '../../platform/kinds/roles.js';

/** Who calls, as the verified token says. */
export interface Caller {
  sub: string;
  /** Name for people; service accounts have their client id. */
  name: string;
  /** `''` when the token has none. */
  email: string;
  /** Platform roles in our words, and free role names. */
  roles: readonly string[];
  /** The verified claims as they came. */
  claims: Readonly<Record<string, unknown>>;
}

export function toCaller(verified: unknown, roleClaims: readonly string[]): Caller {
  const claims = isRecord(verified) ? verified : {};
  const first = (...names: string[]): string =>
    names.map((name) => claims[name]).find((value): value is string => typeof value === 'string' && value !== '') ?? '';
  return {
    sub: first('sub', 'client_id', 'azp'),
    name: first('name', 'preferred_username', 'client_id', 'azp', 'sub'),
    email: first('email'),
    roles: rolesOf(claims, roleClaims),
    claims,
  };
}
