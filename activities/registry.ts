import type { RegistryAuth } from '../engines/driver.js';
import type { Connection } from '../resources/connection.js';

/** Credentials of a registry connection as the engine wants them; an open registry has none. */
export function registryAuth({ spec }: Connection, openSecret: (sealed: string) => string): RegistryAuth | undefined {
  if (spec.username === undefined || spec.password === undefined) return undefined;
  return {
    username: spec.username,
    password: openSecret(spec.password),
    serveraddress: spec.uri.split('/')[0] ?? spec.uri,
  };
}

/** The reference to pull instead, where an installation keeps mirrors. */
export function mirrored(reference: string, mirrors: Readonly<Record<string, string>>): string {
  return mirrors[reference] ?? reference;
}
