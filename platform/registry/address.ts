import { isLoopbackHost } from '../kinds/network-addresses.js';

/** Registries on loopback are spoken to without TLS, as every engine does. */
export const schemeOf = (registry: string): 'http' | 'https' => (isLoopbackHost(registry) ? 'http' : 'https');

export interface RepositoryAddress {
  /** `host[:port]`, as in the name. */
  registry: string;
  /** `library/python` */
  path: string;
  /** The API of the repository, with a slash at the end. */
  base: URL;
}

/** Hosts whose API has another name than their images. */
const API_HOSTS: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' };

/** @param name full name of a repository: `registry.example/team/wine` */
export function repositoryAddress(name: string): RepositoryAddress {
  const [registry = '', ...parts] = name.split('/');
  const path = parts.join('/');
  const host = API_HOSTS[registry] ?? registry;
  return { registry, path, base: new URL(`${schemeOf(host)}://${host}/v2/${path}/`) };
}
