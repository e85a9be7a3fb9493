import type { KeyObject } from 'node:crypto';
import { type AttestedRepository, readBundles } from '../../platform/attestation/read.js';
import { parseImageReference, referenceIn } from '../../platform/engines/image-reference.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Registries } from '../../platform/registry/client.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { canonical } from '../kinds/aliases.js';
import { REGISTRIES } from '../kinds/built-in-rules.js';
import type { Connection } from '../kinds/connection.js';
import type { RegistryAuthOf } from '../stores/registry-auth.js';
import { type ImageVerification, verifyImage } from './verification.js';

interface ImageVerifierDeps {
  connections: Pick<ResourceStore<Connection>, 'list'>;
  registries: {
    open(
      image: string,
      access: Parameters<Registries['open']>[1],
    ): AttestedRepository & Pick<Repository, 'manifestDigest'>;
  };
  registryAuth: RegistryAuthOf;
  /** Public keys whose statements are trusted. */
  keys: () => Promise<readonly KeyObject[]>;
}

/** An image as it was asked for, with its digest, and its origin. */
export type VerificationReply = { image: string; digest: string } & ImageVerification;

export type VerifyImage = (image: string, signal: AbortSignal) => Promise<VerificationReply>;

/**
 * Verifies images of registries that a connection names, with the credentials of that connection: the platform asks no
 * other host, whatever name a caller gives.
 */
export function createImageVerifier({ connections, registries, registryAuth, keys }: ImageVerifierDeps): VerifyImage {
  async function connectionOf(image: string): Promise<Connection> {
    const found = await findRegistryConnection(connections, image);
    if (found !== undefined) return found;
    const registry = parseImageReference(image).name.split('/')[0];
    const message = `no connection names the registry "${registry}" of image "${image}": create one of type container-registry`;
    throw new SlipwayError('bad_query', message);
  }

  return async (image, signal) => {
    const reason = 'ImagePullFailed';
    const auth = await registryAuth(image, await connectionOf(image), { reason });
    const repository = registries.open(image, { auth, signal, reason });
    const digest = parseImageReference(image).digest ?? (await repository.manifestDigest(referenceIn(image)));
    if (!digest) throw new SlipwayError('not_found', `image "${image}" is not in its registry`);
    return { image, digest, ...verifyImage(digest, await readBundles(repository, digest), await keys()) };
  };
}

/** The connection of the image's registry with the longest uri that leads to the image. */
export async function findRegistryConnection(
  connections: Pick<ResourceStore<Connection>, 'list'>,
  image: string,
): Promise<Connection | undefined> {
  const { name } = parseImageReference(image);
  const rows = (await connections.list()).flatMap((connection) => {
    const { type, uri } = connection.spec;
    if (!REGISTRIES.includes(canonical('connectionType', type))) return [];
    const base = parseImageReference(`${uri}/x`).name.slice(0, -'/x'.length);
    if (base.split('/')[0] !== name.split('/')[0]) return [];
    return [{ connection, fit: `${name}/`.startsWith(`${base}/`) ? base.length : 0 }];
  });
  return rows.sort((one, other) => other.fit - one.fit)[0]?.connection;
}
