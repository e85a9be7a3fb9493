/** Roles of the platform itself; any other role matters only as a deployment's `roleName` (management API, section 6). */
export const PLATFORM_ROLES = ['admin', 'data_scientist', 'viewer'] as const;
export type PlatformRole = (typeof PLATFORM_ROLES)[number];

// prettier-ignore
const ROLE_NAMES: ReadonlyMap<string, PlatformRole> = new Map([
  ['platform_admin',          'admin'],
  ['odahu_admin',             'admin'],
  ['platform_data_scientist', 'data_scientist'],
  ['odahu_data_scientist',    'data_scientist'],
  ['platform_viewer',         'viewer'],
  ['odahu_viewer',            'viewer'],
]);

/**
 * Roles that a verified token carries, each once, by its primary name.
 * @param paths dotted paths of the claims that hold them, such as `realm_access.roles`; text or a list of texts
 */
export function rolesOf(claims: unknown, paths: readonly string[]): string[] {
  const claimed = paths.flatMap((path) => textsOf(claimAt(claims, path)));
  return [...new Set(claimed.map((name) => ROLE_NAMES.get(name) ?? name))];
}

/** Admins, data scientists and holders of the deployment's own role may invoke a deployed model. */
export const mayInvoke = (roles: readonly string[], roleName: string): boolean =>
  roles.includes('admin') || roles.includes('data_scientist') || roles.includes(roleName);

/** A claim whose name itself has dots (a URL, say) comes before the path. */
function claimAt(claims: unknown, path: string): unknown {
  const whole = memberOf(claims, path);
  return whole ?? path.split('.').reduce(memberOf, claims);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] // an object with that own member, as just checked
    : undefined;

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (entry): entry is string => typeof entry === 'string' && entry !== '',
  );
