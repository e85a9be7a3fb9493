import type { Dispatcher } from 'undici';
import type { RegistryAuth } from '../../platform/engines/driver.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import { unreachable } from '../../platform/kinds/errors.js';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';
import { type OpenSecret, secretPlaces } from '../../platform/kinds/secret-places.js';
import type { PublicHttpAgents } from '../../platform/outbound/public-http-agents.js';
import { amazonToken, ensureAmazonRepository } from '../../platform/registry/amazon-token.js';
import { azureToken } from '../../platform/registry/azure-token.js';
import { googleToken } from '../../platform/registry/google-token.js';
import { createTokenCache, type IssuedToken, type TokenRequest } from '../../platform/registry/issued-token.js';
import { canonical } from '../kinds/aliases.js';
import { azureClient, type CloudRegistry, cloudRegistry, isAmbientRegistry } from '../kinds/cloud-registry.js';
import type { Connection } from '../kinds/connection.js';

export interface RegistryAuthOptions {
  openSecret: OpenSecret;
  /** Registries, or beginnings of their names, where a connection without credentials uses the platform's identity. */
  ambientRegistries: readonly string[];
  /** Where requests for tokens with the credentials of a connection may go; default: anywhere. */
  dispatcher?: Dispatcher;
  agents?: PublicHttpAgents;
  now?: () => number;
}

export interface AuthUse {
  /** The reason of a run that gets no credentials. */
  reason: Reason;
  /** Whether a push follows, for which a repository of Amazon must exist. */
  push?: boolean;
}

/**
 * Credentials for an image as the engine wants them: of the connection, if it is for the image's registry, for no other
 * may see them. An open registry has none.
 * @throws run_failed, unavailable: a cloud gave no token
 */
export type RegistryAuthOf = (
  image: string,
  connection: Connection | undefined,
  use: AuthUse,
) => Promise<RegistryAuth | undefined>;

export function createRegistryAuth({
  openSecret,
  ambientRegistries,
  ...outbound
}: RegistryAuthOptions): RegistryAuthOf {
  const { dispatcher, agents, now } = outbound;
  const cached = createTokenCache(now);
  const created = new Set<string>();

  /** Credentials of the connection, or the platform's identity where an operator allows it. */
  function credentialsOf({ id, spec }: Connection, { image, reason }: { image: string; reason: Reason }) {
    const open = (field: 'keyID' | 'keySecret'): string =>
      spec[field] ? openSecret(spec[field], secretPlaces.connection(id, field)).trim() : '';
    const [keyID, keySecret] = [open('keyID'), open('keySecret')];
    if (keySecret !== '') return { keyID, keySecret };
    // The image too: any part of the registry's host has the same identity.
    if ([spec.uri, image].every((uri) => isAmbientRegistry(uri, ambientRegistries))) return 'ambient';
    const message =
      `connection "${id}" has no credentials for ${image}: update its keySecret, or ask an operator to add the ` +
      'registry to SLIPWAY_AMBIENT_REGISTRIES; an open registry is of type container-registry';
    throw runFailed({ reason, message });
  }

  const amazonAccess = ({ region, fips }: Extract<CloudRegistry, { cloud: 'amazon' }>, given: Given) => {
    const keys = given === 'ambient' ? given : { accessKeyId: given.keyID, secretAccessKey: given.keySecret };
    return { region, fips, keys, agents };
  };

  function issue(cloud: CloudRegistry, given: Given, asked: TokenRequest): Promise<IssuedToken> {
    switch (cloud.cloud) {
      case 'amazon':
        return amazonToken(amazonAccess(cloud, given), asked);
      case 'google':
        return googleToken(
          { credentials: given === 'ambient' ? given : { jsonKey: given.keySecret }, dispatcher },
          asked,
        );
      case 'azure': {
        const principal = given === 'ambient' ? given : principalOf(given, asked);
        return azureToken({ host: cloud.host, principal, dispatcher }, asked);
      }
      default:
        return unreachable(cloud);
    }
  }

  async function cloudAuth(cloud: CloudRegistry, image: string, connection: Connection, { reason, push }: AuthUse) {
    const full = parseImageReference(image).name;
    const [registry = '', ...path] = full.split('/');
    const given = credentialsOf(connection, { image: full, reason });
    const asked = { registry, reason };
    // Sealed again, a secret is another text, so that a token ends with the credentials that it was given for.
    const { keyID, keySecret } = connection.spec;
    const key = [connection.id, registry, keyID, keySecret].join(' ');
    const name = path.join('/');
    if (push && cloud.cloud === 'amazon' && !created.has(`${key} ${name}`)) {
      await ensureAmazonRepository(amazonAccess(cloud, given), name, asked);
      created.add(`${key} ${name}`);
    }
    const renewed = async (): Promise<RegistryAuth> => {
      const { username, password } = await cached(key, () => issue(cloud, given, asked));
      return { username, password, serveraddress: registry };
    };
    return { ...(await renewed()), renewed };
  }

  return async (image, connection, use) => {
    if (connection === undefined) return undefined;
    const { type, uri, username, password } = connection.spec;
    const registry = registryOf(image);
    if (registryOf(`${uri}/image`) !== registry) return undefined;
    if (username !== undefined && password !== undefined) {
      const place = secretPlaces.connection(connection.id, 'password');
      return { username, password: openSecret(password, place), serveraddress: registry ?? uri };
    }
    const cloud = canonical('connectionType', type) === 'cloud-registry' ? cloudRegistry(uri) : undefined;
    return cloud && cloudAuth(cloud, image, connection, use);
  };
}

type Given = { keyID: string; keySecret: string } | 'ambient';

const registryOf = (image: string): string | undefined => parseImageReference(image).name.split('/')[0];

function principalOf({ keyID, keySecret: secret }: Exclude<Given, 'ambient'>, { reason }: TokenRequest) {
  const found = azureClient(keyID);
  const message = 'keyID of the connection must be TENANT/CLIENT, the service principal that keySecret belongs to';
  if (found === undefined) throw runFailed({ reason, message });
  return { ...found, secret };
}
