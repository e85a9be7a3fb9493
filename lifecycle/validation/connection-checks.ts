import type { ConnectionSpec } from '../kinds/connection.js';
import type { Findings } from '../../platform/kinds/findings.js';
import { gitUriProblem } from '../kinds/git-uri.js';
import { isRegistryUri } from '../kinds/image-name.js';
import { objectLocation, type StoreProvider } from '../kinds/object-location.js';
import type { Rules } from './validation.js';

/** In the order in which clients know them; ours come after theirs. */
// prettier-ignore
export const CONNECTION_TYPES = [
  's3', 'gcs', 'azureblob', 'git', 'docker', 'ecr', 'object-store', 'container-registry', 'cloud-registry',
] as const;
type ConnectionType = (typeof CONNECTION_TYPES)[number];

export const isConnectionType = (type: string): type is ConnectionType =>
  (CONNECTION_TYPES as readonly string[]).includes(type);

interface Judged {
  findings: Findings;
  spec: ConnectionSpec;
  rules: Rules;
}

/** What each type asks for, in this order (management API, 3.1); every text begins with the client's word for the type. */
// prettier-ignore
const CHECKS = {
  gcs:                  [region, gcsCredentials],
  s3:                   [region, s3Credentials],
  azureblob:            [azureCredentials],
  'object-store':       [objectStore],
  docker:               [registryUri, registryLogin],
  'container-registry': [registryUri, registryLoginOrNone],
  ecr:                  [ecrUri, registryUri, keyPair],
  'cloud-registry':     [registryUri, cloudRegistry],
  git:                  [gitUri],
} as const satisfies Record<ConnectionType, readonly ((judged: Judged) => void)[]>;

export function checkConnectionType(judged: Judged): void {
  const { findings, spec } = judged;
  if (findings.misfit('spec.type')) return;
  if (isConnectionType(spec.type)) return CHECKS[spec.type].forEach((check) => check(judged));
  const message = `unknown type: ${spec.type}. Supported types: [${CONNECTION_TYPES.join(' ')}]`;
  findings.add('spec.type', spec.type === '' ? 'required' : 'not_supported', message);
}

/** Region in the address of a registry of Elastic Container Registry; undefined for any other address. */
export function ecrRegion(uri: string): string | undefined {
  const [, found] =
    /^(?:https?:\/\/)?\d+\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?(?:\/|$)/.exec(uri) ?? [];
  return found;
}

/** A finding on `field` unless it has a wrong type. */
function need({ findings, spec }: Judged, field: keyof ConnectionSpec, isGiven: unknown, text: string): void {
  if (!findings.misfit(`spec.${field}`) && !isGiven)
    findings.add(`spec.${field}`, 'required', `${spec.type} type ${text}`);
}

function region(judged: Judged): void {
  need(judged, 'region', judged.spec.region, 'requires that region must be non-empty');
}

function gcsCredentials(judged: Judged): void {
  // The odd grammar is what clients know.
  need(judged, 'role', !judged.spec.role, 'does not support role parameter yet must be non-empty');
  need(judged, 'keySecret', judged.spec.keySecret, 'requires that keySecret parameter must be non-empty');
}

function s3Credentials(judged: Judged): void {
  need(judged, 'role', !judged.spec.role, 'does not support role parameter yet');
  keyPair(judged);
}

function keyPair(judged: Judged): void {
  const { findings, spec } = judged;
  if (findings.misfit('spec.keyID')) return;
  need(
    judged,
    'keySecret',
    spec.keyID && spec.keySecret,
    'requires that keyID and keySecret parameters must be non-empty',
  );
}

function azureCredentials(judged: Judged): void {
  const text = 'requires that keySecret parameter contains HTTP endpoint with SAS Token';
  need(judged, 'keySecret', judged.spec.keySecret, text);
}

const STORE_CREDENTIALS = { gcs: gcsCredentials, s3: s3Credentials, azure: azureCredentials } as const satisfies Record<
  StoreProvider,
  (judged: Judged) => void
>;

function objectStore(judged: Judged): void {
  const { spec, rules } = judged;
  const { provider, bucket } = objectLocation(spec);
  if (provider === undefined) need(judged, 'uri', false, 'requires a uri with scheme gs, s3 or az');
  else if (!rules.ambientBuckets.includes(bucket)) STORE_CREDENTIALS[provider](judged);
}

/** The uri begins the names of images, and no name has a scheme. */
function registryUri({ findings, spec }: Judged): void {
  if (findings.misfit('spec.uri') || spec.uri === '' || isRegistryUri(spec.uri)) return;
  findings.add('spec.uri', 'invalid', `uri of ${spec.type} type must be host[:port][/path] without a scheme`);
}

function registryLogin(judged: Judged): void {
  need(judged, 'password', judged.spec.password, 'requires the password parameter');
  need(judged, 'username', judged.spec.username, 'requires the username parameter');
}

/** An open registry has neither. */
function registryLoginOrNone(judged: Judged): void {
  if (judged.spec.username || judged.spec.password) registryLogin(judged);
}

function ecrUri({ findings, spec }: Judged): void {
  if (findings.misfit('spec.uri') || ecrRegion(spec.uri) !== undefined) return;
  const message = `not valid uri for ${spec.type} type: it is no registry of Elastic Container Registry`;
  findings.add('spec.uri', 'invalid', message);
}

/** Elsewhere the installation's own identity is used when no credential is given. */
function cloudRegistry(judged: Judged): void {
  if (ecrRegion(judged.spec.uri) !== undefined) keyPair(judged);
}

function gitUri({ findings, spec, rules }: Judged): void {
  if (findings.misfit('spec.uri') || spec.uri === '') return;
  findings.addIf('spec.uri', 'invalid', gitUriProblem(spec.uri, rules.localRepositories));
}
