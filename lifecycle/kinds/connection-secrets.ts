import type { ConnectionSpec } from './connection.js';
import type { Issue } from '../../platform/kinds/errors.js';

/** Fields of a connection that no API returns, with their names in messages. */
export const SECRET_FIELDS = ['password', 'keySecret', 'keyID'] as const satisfies (keyof ConnectionSpec)[];
export type SecretField = (typeof SECRET_FIELDS)[number];

/** The text that a client reads in place of a secret. */
export const MASK = '*****';

export function maskSecrets(spec: ConnectionSpec): ConnectionSpec {
  const masked = { ...spec };
  for (const field of SECRET_FIELDS) if (masked[field]) masked[field] = MASK;
  return masked;
}

/**
 * A field that a PUT sends masked keeps its stored value, so that a client can change what it read. Only while type and
 * host are the same: else a stored secret could be sent to an address of the caller's choice.
 * @returns the spec with those values, which fields have them, and an issue per field that must be sent again
 */
export function keepSecrets(
  spec: ConnectionSpec,
  stored: ConnectionSpec,
): { spec: ConnectionSpec; kept: SecretField[]; issues: Issue[] } {
  const masked = SECRET_FIELDS.filter((field) => spec[field] === MASK && stored[field]);
  if (spec.type !== stored.type || hostOf(spec.uri) !== hostOf(stored.uri)) {
    return { spec, kept: [], issues: masked.map(mustBeSentAgain) };
  }
  const secrets = Object.fromEntries(masked.map((field) => [field, stored[field]]));
  return { spec: { ...spec, ...secrets }, kept: masked, issues: [] };
}

const mustBeSentAgain = (field: SecretField): Issue => ({
  path: `spec.${field}`,
  code: 'secret_required',
  message: `${field} must be sent again because type or uri was changed`,
});

/**
 * Host and port of a uri, with or without scheme, also of `user@host:path`; of an object store its bucket. Programs do
 * not agree where the host of a uri with a backslash or a second `@` ends: it is the host of that very uri only.
 */
function hostOf(uri: string): string {
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?(.*)$/s.exec(uri) ?? [];
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  if (uri.includes('\\') || authority.split('@').length > 2) return uri;
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  const isScp = scheme === undefined && authority.includes('@');
  return isScp ? (host.split(':', 1)[0] ?? '') : host;
}
