import { isIP } from 'node:net';
import type { Settings } from '../../config.js';
import { hasCredentials, hasTls } from '../../platform/kinds/mongodb-uri.js';
import { refusedKind } from '../../platform/kinds/network-addresses.js';

/** A setting that is unsafe in production. */
export interface UnsafeSetting {
  setting: keyof Settings;
  problem: string;
  /** The next step of an operator. */
  remedy: string;
}

type Rule = (settings: Settings) => Omit<UnsafeSetting, 'setting'> | undefined;

/** Finds the settings that are fine on a developer's machine only. Messages hold no secret and no address of a service. */
export function findUnsafeSettings(settings: Settings): UnsafeSetting[] {
  return RULES.flatMap(([setting, rule]) => {
    const found = rule(settings);
    return found === undefined ? [] : [{ setting, ...found }];
  });
}

/** One sentence for each, as a start prints them. */
export const toSentence = ({ setting, problem, remedy }: UnsafeSetting): string => `${setting} ${problem}: ${remedy}`;

// prettier-ignore
const RULES: readonly (readonly [keyof Settings, Rule])[] = [
  ['OIDC_ISSUER', ({ OIDC_ISSUER }) =>
    unless(OIDC_ISSUER.startsWith('https:'), 'is not set to an https address, so that whoever answers there can sign tokens', 'set it to the https address of your OpenID issuer')],
  ['OIDC_ROLE_MAP', ({ OIDC_ROLE_MAP }) =>
    unless(Object.keys(OIDC_ROLE_MAP).length > 0, 'is not set, so that any group or role that is called "admin" is the admin of the platform', 'name the claim values, such as OIDC_ROLE_MAP=ml-admins=admin,ml-team=data_scientist')],
  ['SLIPWAY_BASE_URL', ({ SLIPWAY_BASE_URL }) =>
    unless(SLIPWAY_BASE_URL.startsWith('https:'), 'is not an https address, so that tokens and API keys go in plain text', 'end TLS in front of the gateway and set the https address')],
  ['MONGODB_URI', (settings) =>
    isPlain(settings, 'mongodb', hasTls(settings.MONGODB_URI)) ?? unlessAllowed(settings, 'mongodb', hasCredentials(settings.MONGODB_URI), 'names no user, so that any process that reaches the database may write', 'add a user and a password')],
  ['TEMPORAL_ADDRESS', (settings) =>
    isPlain(settings, 'temporal', settings.TEMPORAL_TLS || [settings.TEMPORAL_API_KEY, settings.TEMPORAL_TLS_CERT, settings.TEMPORAL_TLS_CA].some(Boolean))],
  ['STORAGE_API_ENDPOINT', (settings) =>
    isPlain(settings, 'storage', settings.STORAGE_API_ENDPOINT?.startsWith('http:') !== true)],
  ['SLIPWAY_S3_ENDPOINT', (settings) =>
    isPlain(settings, 'storage', settings.SLIPWAY_S3_ENDPOINT?.startsWith('http:') !== true)],
  ['SLIPWAY_AZURE_ENDPOINT', (settings) =>
    isPlain(settings, 'storage', settings.SLIPWAY_AZURE_ENDPOINT?.startsWith('http:') !== true)],
  ['DOCKER_HOST', (settings) =>
    isPlain(settings, 'docker', !/^http:/.test(settings.DOCKER_HOST) && (settings.DOCKER_CERT_PATH !== undefined || !/^tcp:/.test(settings.DOCKER_HOST)))],
  ['SLIPWAY_INTERNAL_HOST', ({ SLIPWAY_INTERNAL_HOST: host }) =>
    unless(isInside(host), 'is an address that the public may reach, and health and metrics need no token', 'set it to 127.0.0.1, or to the private address of this host')],
  ['SLIPWAY_WEBHOOK_PRIVATE', ({ SLIPWAY_WEBHOOK_PRIVATE }) =>
    unless(!SLIPWAY_WEBHOOK_PRIVATE, 'lets any subscription send requests to services of the internal network', 'remove it; SLIPWAY_WEBHOOK_NETWORKS opens single ranges')],
  ['SLIPWAY_EGRESS_CHECK', ({ SLIPWAY_EGRESS_CHECK }) =>
    unless(SLIPWAY_EGRESS_CHECK === 'refuse', 'runs containers although they can reach the host or the metadata of a cloud', 'remove it, and lay the firewall rules of docs/security.md on the host of the container engine')],
  ['SLIPWAY_SECRET_KEY', ({ SLIPWAY_SECRET_KEY }) =>
    unless(SLIPWAY_SECRET_KEY === undefined || isRandom(SLIPWAY_SECRET_KEY), 'does not look like random bytes, so that it may be guessed', 'make one with "openssl rand -base64 32", and put the earlier one into SLIPWAY_OLD_SECRET_KEYS')],
];

const unless = (isSafe: boolean, problem: string, remedy: string) => (isSafe ? undefined : { problem, remedy });

type Plaintext = Settings['SLIPWAY_ALLOW_PLAINTEXT'][number];

function unlessAllowed(settings: Settings, service: Plaintext, isSafe: boolean, problem: string, remedy: string) {
  const isAllowed = settings.SLIPWAY_ALLOW_PLAINTEXT.includes(service);
  return unless(
    isSafe || isAllowed,
    problem,
    `${remedy}, or set SLIPWAY_ALLOW_PLAINTEXT=${service} if the network between is trusted`,
  );
}

const isPlain = (settings: Settings, service: Plaintext, isEncrypted: boolean) =>
  unlessAllowed(
    settings,
    service,
    isEncrypted,
    'leads to a connection without TLS',
    'use TLS with a certificate that is checked',
  );

/** Loopback or a private address. A host name is looked up at the bind only, so it is taken for the public one. */
function isInside(host: string): boolean {
  if (host === 'localhost') return true;
  const kind = isIP(host) === 0 ? undefined : refusedKind(host);
  return kind !== undefined && INSIDE.includes(kind);
}

const INSIDE = ['a loopback', 'a private', 'a shared', 'a link-local'];

/** About 30 of 32 random bytes differ, and not all are visible ASCII as those of a pass phrase are. */
function isRandom(key: string): boolean {
  const bytes = Buffer.from(key, 'base64');
  return new Set(bytes).size >= 16 && bytes.some((byte) => byte < 0x20 || byte > 0x7e);
}

/** @returns what keeps a process from its start: every unsafe setting in production, and none elsewhere */
export const refusals = (settings: Settings): string[] =>
  settings.NODE_ENV === 'production' ? findUnsafeSettings(settings).map(toSentence) : [];
