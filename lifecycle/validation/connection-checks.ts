import { azureClient, cloudRegistry, isAmbientRegistry } from '../kinds/cloud-registry.js';
import type { ConnectionSpec } from '../kinds/connection.js';
import type { Findings } from '../../platform/kinds/findings.js';
import { exposesSecret, gitUriProblem, referenceProblem } from '../kinds/git-uri.js';
import { checkImage } from './image-checks.js';
import { isRegistryUri } from '../kinds/image-name.js';
import { MASK } from '../kinds/connection-secrets.js';
import { bucketProblem, bucketUri, objectLocation, type StoreProvider } from '../kinds/object-location.js';
import { azureAccess, isRegion, s3Keys } from '../kinds/store-credentials.js';
import type { Rules } from './validation.js';

/** In the order in which clients know them; ours come after theirs. */
// prettier-ignore
const CONNECTION_TYPES = [
  's3', 'gcs', 'azureblob', 'git', 'docker', 'ecr', 'object-store', 'container-registry', 'cloud-registry',
] as const;
type ConnectionType = (typeof CONNECTION_TYPES)[number];

export const isConnectionType = (type: string): type is ConnectionType =>
  (CONNECTION_TYPES as readonly string[]).includes(type);

interface CheckedConnection {
  findings: Findings;
  spec: ConnectionSpec;
  rules: Rules;
}

/** The checks of each type, in this order (management API, 3.1); every text begins with the type as the client sent it. */
// prettier-ignore
const CHECKS = {
  gcs:                  [region, gcsCredentials, bucketName],
  s3:                   [region, s3Credentials, bucketName, regionName],
  azureblob:            [azureCredentials, bucketName],
  'object-store':       [objectStore, bucketName, regionName],
  docker:               [registryUri, registryLogin],
  'container-registry': [registryUri, registryLoginOrNone],
  ecr:                  [ecrUri, registryUri, keyPair],
  'cloud-registry':     [registryUri, cloudRegistryLogin],
  git:                  [gitUri],
} as const satisfies Record<ConnectionType, readonly ((checked: CheckedConnection) => void)[]>;

export function checkConnectionType(checked: CheckedConnection): void {
  const { findings, spec } = checked;
  if (findings.misfit('spec.type')) return;
  if (isConnectionType(spec.type)) return CHECKS[spec.type].forEach((check) => check(checked));
  const message = `unknown type: ${spec.type}. Supported types: [${CONNECTION_TYPES.join(' ')}]`;
  findings.add('spec.type', spec.type === '' ? 'required' : 'not_supported', message);
}

/** A finding on `field` unless it has a wrong type. */
function need(
  { findings, spec }: CheckedConnection,
  field: keyof ConnectionSpec,
  isGiven: unknown,
  text: string,
): void {
  if (!findings.misfit(`spec.${field}`) && !isGiven)
    findings.add(`spec.${field}`, 'required', `${spec.type} type ${text}`);
}

function region(checked: CheckedConnection): void {
  need(checked, 'region', checked.spec.region, 'requires that region must be non-empty');
}

function gcsCredentials(checked: CheckedConnection): void {
  // The odd grammar is what clients know.
  need(checked, 'role', !checked.spec.role, 'does not support role parameter yet must be non-empty');
  need(checked, 'keySecret', checked.spec.keySecret, 'requires that keySecret parameter must be non-empty');
}

function s3Credentials(checked: CheckedConnection): void {
  const { spec } = checked;
  need(checked, 'role', !spec.role, 'does not support role parameter yet');
  if (spec.keyID || s3Keys(undefined, plain(spec.keySecret)) === undefined) keyPair(checked);
}

function keyPair(checked: CheckedConnection): void {
  const { findings, spec } = checked;
  if (findings.misfit('spec.keyID')) return;
  need(
    checked,
    'keySecret',
    spec.keyID && spec.keySecret,
    'requires that keyID and keySecret parameters must be non-empty',
  );
}

function azureCredentials(checked: CheckedConnection): void {
  const text = 'requires that keySecret parameter contains HTTP endpoint with SAS Token';
  const { keySecret } = checked.spec;
  const isGiven = keySecret === MASK || azureAccess(plain(keySecret), objectLocation(checked.spec).bucket);
  need(checked, 'keySecret', isGiven, text);
}

const plain = (base64 = ''): string => Buffer.from(base64, 'base64').toString('utf8').trim();

const STORE_CREDENTIALS = { gcs: gcsCredentials, s3: s3Credentials, azure: azureCredentials } as const satisfies Record<
  StoreProvider,
  (checked: CheckedConnection) => void
>;

function objectStore(checked: CheckedConnection): void {
  const { spec, rules } = checked;
  const location = objectLocation(spec);
  const { provider } = location;
  if (provider === undefined) need(checked, 'uri', false, 'requires a uri with scheme gs, s3 or az');
  // A secret of the connection counts before the platform's identity.
  else if (spec.keySecret || !rules.ambientBuckets.includes(bucketUri(location))) STORE_CREDENTIALS[provider](checked);
}

function bucketName({ findings, spec }: CheckedConnection): void {
  const problem = bucketProblem(spec);
  if (!findings.misfit('spec.uri'))
    findings.addIf('spec.uri', 'invalid', problem && `uri of ${spec.type} type: ${problem}`);
}

/** It becomes a part of a host name. */
function regionName({ findings, spec }: CheckedConnection): void {
  if (!spec.region || findings.misfit('spec.region') || isRegion(spec.region)) return;
  const message = `region of ${spec.type} type must be lower-case letters, digits and "-", such as eu-west-1`;
  findings.add('spec.region', 'invalid', message);
}

/** The uri begins the names of images, and no name has a scheme. */
function registryUri({ findings, spec, rules }: CheckedConnection): void {
  if (findings.misfit('spec.uri') || spec.uri === '') return;
  if (isRegistryUri(spec.uri)) {
    // Several slashes follow each other only at its end, so that the expression is not slow.
    const path = spec.uri.toLowerCase().replace(/\/+$/, '');
    return checkImage(findings, 'spec.uri', `${path}/image`, rules);
  }
  findings.add('spec.uri', 'invalid', `uri of ${spec.type} type must be host[:port][/path] without a scheme`);
}

function registryLogin(checked: CheckedConnection): void {
  need(checked, 'password', checked.spec.password, 'requires the password parameter');
  need(checked, 'username', checked.spec.username, 'requires the username parameter');
}

/** An open registry has neither. */
function registryLoginOrNone(checked: CheckedConnection): void {
  if (checked.spec.username || checked.spec.password) registryLogin(checked);
}

function ecrUri({ findings, spec }: CheckedConnection): void {
  // An empty uri has a finding of its own.
  if (findings.misfit('spec.uri') || spec.uri === '' || cloudRegistry(spec.uri)?.cloud === 'amazon') return;
  const message = `not valid uri for ${spec.type} type: it is no registry of Elastic Container Registry`;
  findings.add('spec.uri', 'invalid', message);
}

/** Without a credential the identity of the installation is used, where an operator allows it. */
function cloudRegistryLogin(checked: CheckedConnection): void {
  const { findings, spec, rules } = checked;
  const found = cloudRegistry(spec.uri);
  const isAmbient = isAmbientRegistry(spec.uri, rules.ambientRegistries ?? [spec.uri]);
  if (found?.cloud === 'amazon' && (spec.keyID || spec.keySecret || !isAmbient)) keyPair(checked);
  if (found?.cloud !== 'azure' || !spec.keySecret || findings.misfit('spec.keyID') || spec.keyID === MASK) return;
  if (azureClient(plain(spec.keyID)) !== undefined) return;
  const message = `${spec.type} type requires that keyID is TENANT/CLIENT for ${found.host}, the service principal of keySecret`;
  findings.add('spec.keyID', 'invalid', message);
}

function gitUri({ findings, spec, rules }: CheckedConnection): void {
  if (findings.misfit('spec.uri') || spec.uri === '') return;
  findings.addIf('spec.uri', 'invalid', gitUriProblem(spec.uri, rules.localRepositories));
  if (spec.reference !== undefined) findings.addIf('spec.reference', 'invalid', referenceProblem(spec.reference));
  if (spec.keySecret && exposesSecret(spec.uri))
    findings.add('spec.uri', 'invalid', 'uri of git type must begin with https:// when keySecret is given');
}
