import type { RegistryAuth } from '../../platform/engines/driver.js';
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
