/** Roles of the platform itself; any other role matters only as a role of a deployment (management API, section 6). */
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

/** Where the roles of a token are. */
export interface RoleRules {
  /** Dotted paths of the claims that hold them, such as `realm_access.roles`; text or a list of texts. */
  roleClaims: readonly string[];
  /** Values of these claims that give a role of the platform. When there are any, the role names themselves give none. */
  roleMap?: Readonly<Record<string, PlatformRole>>;
}

/** Roles that a verified token carries, each once, by its primary name. */
export function rolesOf(claims: unknown, { roleClaims, roleMap = {} }: RoleRules): string[] {
  const claimed = roleClaims.flatMap((path) => textsOf(claimAt(claims, path)));
  const mapped = new Map(Object.entries(roleMap));
  if (mapped.size === 0) return [...new Set(claimed.map((name) => ROLE_NAMES.get(name) ?? name))];
  const isBare = (name: string): boolean => !mapped.has(name) && PLATFORM_ROLES.some((role) => role === name);
  return [...new Set(claimed.filter((name) => !isBare(name)).map((name) => mapped.get(name) ?? name))];
}

/** Admins, data scientists and holders of one of the deployment's own roles may invoke a deployed model. */
export const mayInvoke = (roles: readonly string[], own: readonly string[]): boolean =>
  ['admin', 'data_scientist', ...own].some((role) => roles.includes(role));

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
