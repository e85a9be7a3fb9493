import { DEFAULT_CONNECTIONS } from '../../lifecycle/kinds/built-in-rules.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { ImageUses } from '../../lifecycle/stores/image-uses.js';
import type { RegistryAuthOf } from '../../lifecycle/stores/registry-auth.js';
import type { RegistryAuth } from '../../platform/engines/driver.js';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';
import type { Registries } from '../../platform/registry/client.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface RegistryDeps {
  registries: Registries;
  connections: ResourceStore<Connection>;
  registryAuth: RegistryAuthOf;
  /** Where the uses of kept images are noted; without it upkeep takes them for unused. */
  imageUses?: Pick<ImageUses, 'note'> | undefined;
}

export interface OpenedRepository {
  repository: Repository;
  /** For the engine. */
  auth: RegistryAuth | undefined;
}

export const OWN_NAMES = ['bases', 'environments'] as const;

/**
 * Whether a name is, or lies below, a repository that other images are made from: no image of a caller goes there. By its
 * path alone, since one registry may have several host names.
 */
export const isPlatformRepository = (name: string, { repository }: OpenedRepository): boolean => {
  const [, ...path] = name.split('/');
  const folder = repository.path.slice(0, repository.path.lastIndexOf('/') + 1);
  return OWN_NAMES.some((own) => `${path.join('/')}/`.startsWith(`${folder}${own}/`));
};

/** A repository of the platform's own registry, which is that of the connection `docker-ci`. */
export async function openPlatformRepository(
  { registries, connections, registryAuth, imageUses }: RegistryDeps,
  name: (typeof OWN_NAMES)[number],
  { signal, reason }: { signal: AbortSignal; reason: Reason },
): Promise<OpenedRepository> {
  const id = DEFAULT_CONNECTIONS.registry;
  const connection = await connections.get(id);
  if (connection === undefined) {
    const message = `connection "${id}" does not exist: create it with the registry that keeps base images and environments`;
    throw runFailed({ reason, message });
  }
  const image = `${connection.spec.uri.replace(/\/$/, '')}/${name}`;
  const auth = await registryAuth(image, connection, { reason, push: true });
  const repository = registries.open(image, { auth, signal, reason });
  return { repository: imageUses === undefined ? repository : noting(repository, name, imageUses), auth };
}

/** A repository that notes which of its tags were read or written: such an image is kept for a while. */
function noting(repository: Repository, name: string, imageUses: Pick<ImageUses, 'note'>): Repository {
  return {
    ...repository,
    async manifest(reference) {
      const found = await repository.manifest(reference);
      if (found !== undefined && !reference.startsWith('sha256:')) await imageUses.note(`${name}/${reference}`);
      return found;
    },
    async putManifest(manifest, tag) {
      if (tag !== undefined) await imageUses.note(`${name}/${tag}`);
      return repository.putManifest(manifest, tag);
    },
  };
}
