import type { RegistryAuth } from '../../platform/engines/driver.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Repository } from '../../platform/registry/repository.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { type OpenSecret, secretPlaces } from '../../platform/kinds/secret-places.js';

/**
 * Credentials for an image as the engine wants them: of the connection, if it is for the image's registry, for no other
 * may see them. An open registry has none.
 */
export function registryAuth(
  image: string,
  connection: Connection | undefined,
  openSecret: OpenSecret,
): RegistryAuth | undefined {
  if (connection === undefined) return undefined;
  const { uri, username, password } = connection.spec;
  if (username === undefined || password === undefined) return undefined;
  const registry = registryOf(image);
  if (registryOf(`${uri}/image`) !== registry) return undefined;
  return {
    username,
    password: openSecret(password, secretPlaces.connection(connection.id, 'password')),
    serveraddress: registry ?? uri,
  };
}

const registryOf = (image: string): string | undefined => parseImageReference(image).name.split('/')[0];

/** The reference to pull instead, where an installation keeps mirrors. */
export function mirrored(reference: string, mirrors: Readonly<Record<string, string>>): string {
  return mirrors[reference] ?? reference;
}

/** Gives a manifest of the repository a tag. @throws run_failed, PushFailed, when it is gone */
export async function tagImage(repository: Repository, digest: string, tag: string): Promise<void> {
  const stored = await repository.manifest(digest);
  const message = `registry ${repository.registry} lost ${repository.name}@${digest} before its tag was written: run the packaging again`;
  if (stored === undefined) throw runFailed({ reason: 'PushFailed', message });
  await repository.putManifest(stored, tag);
}
