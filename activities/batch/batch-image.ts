import { findRegistryConnection } from '../../lifecycle/attestation/image-verifier.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { RegistryAuthOf } from '../../lifecycle/stores/registry-auth.js';
import type { RegistryAuth } from '../../platform/engines/driver.js';
import type { Registries } from '../../platform/registry/client.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { imageDigest, isOfTheEngine, pinned } from '../deployment/image-pin.js';
import { mirrored } from '../packaging/registry.js';

export interface BatchImageDeps {
  connections: ResourceStore<Connection>;
  registryAuth: RegistryAuthOf;
  imageMirrors: Readonly<Record<string, string>>;
  registries: {
    open(image: string, access: Parameters<Registries['open']>[1]): Pick<Repository, 'manifestDigest'>;
  };
}

/** Credentials for an image: those of the connection of its registry. */
export async function authOf(
  { connections, registryAuth }: Pick<BatchImageDeps, 'connections' | 'registryAuth'>,
  image: string,
): Promise<RegistryAuth | undefined> {
  return registryAuth(image, await findRegistryConnection(connections, image), { reason: 'ImagePullFailed' });
}

/**
 * The image by its digest, so that all files of a job are predicted by the same one.
 * @throws run_failed, ImagePullFailed; unavailable while the registry cannot be used
 */
export async function pinImage(deps: BatchImageDeps, named: string, signal: AbortSignal): Promise<string> {
  const image = mirrored(named, deps.imageMirrors);
  if (isOfTheEngine(image)) return image;
  const auth = await authOf(deps, image);
  const repository = deps.registries.open(image, { auth, signal, reason: 'ImagePullFailed' });
  return pinned({ image, digest: await imageDigest(repository, image) });
}
