/** A permission of a key or token under `/v2`: `data:read:positions`, `data:lookup:locations`, `data:write:*`, `datasets:admin`, ... */
const SCOPE =
  /^(data:(read|lookup|write):(\*|[a-z][a-z0-9_]{0,62})|datasets:admin|keys:admin|pipelines:read|(subscriptions|watches):(read|write))$/;

export const isScope = (text: string): boolean => SCOPE.test(text);
export const SCOPE_WORDS =
  'data:read:<dataset or *>, data:lookup:<dataset or *>, data:write:<dataset or *>, datasets:admin, keys:admin, pipelines:read, ' +
  'subscriptions:read, subscriptions:write, watches:read or watches:write';

/** Whether the granted scopes cover the wanted one; `*` is every dataset, and who may read may look up. */
export function covers(granted: readonly string[], wanted: string): boolean {
  if (granted.includes(wanted)) return true;
  const [area, right] = [wanted.indexOf(':'), wanted.lastIndexOf(':')];
  if (right > area && granted.includes(`${wanted.slice(0, right)}:*`)) return true;
  return wanted.startsWith('data:lookup:') && covers(granted, wanted.replace('lookup', 'read'));
}

/** Scopes of the platform's roles for reference data. */
// prettier-ignore
const ROLE_SCOPES: Readonly<Record<string, readonly string[]>> = {
  admin:          ['data:read:*', 'data:write:*', 'datasets:admin', 'keys:admin', 'pipelines:read', 'subscriptions:read', 'subscriptions:write', 'watches:read', 'watches:write'],
  data_scientist: ['data:read:*', 'data:write:*', 'pipelines:read', 'subscriptions:read', 'subscriptions:write', 'watches:read', 'watches:write'],
  viewer:         ['data:read:*', 'pipelines:read', 'subscriptions:read', 'watches:read'],
};

/** Scopes of a verified token: those it names in `scope` or `scp`, and those of its roles. */
export function scopesOf(claims: Readonly<Record<string, unknown>>, roles: readonly string[]): string[] {
  const named = [claims.scope, claims.scp].flatMap((claim) =>
    typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim.map(String) : [],
  );
  const ofRoles = roles.flatMap((role) => (Object.hasOwn(ROLE_SCOPES, role) ? (ROLE_SCOPES[role] ?? []) : []));
  return [...new Set([...named.filter(isScope), ...ofRoles])];
}
