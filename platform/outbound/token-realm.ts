import { isLoopbackHost } from '../kinds/network-addresses.js';

/**
 * Whether a token realm may have the credentials of the registry that named it: over https, and on the registry's site.
 * A registry on this machine may have its realm there, without TLS.
 * @param registry `host[:port]`
 */
export function mayHaveCredentials(realm: string, registry: string): boolean {
  if (!URL.canParse(realm)) return false;
  const { protocol, host, hostname } = new URL(realm);
  if (isLoopbackHost(registry)) return isLoopbackHost(host);
  return protocol === 'https:' && isSameSite(hostname, registry.replace(/:\d+$/, '').toLowerCase());
}

/** One host, one below the other, or two below the same domain of at least two labels. */
function isSameSite(one: string, other: string): boolean {
  const isBelow = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`);
  if (isBelow(one, other)) return true;
  const domain = other.split('.').slice(1).join('.');
  return domain.includes('.') && !/^[\d.]+$/.test(other) && !COUNTRY_SUFFIX.test(domain) && isBelow(one, domain);
}

/** Names below `co.uk` and the like belong to many owners. */
const COUNTRY_SUFFIX = /^(ac|co|com|edu|gov|net|or|org)\.[a-z]{2}$/;
