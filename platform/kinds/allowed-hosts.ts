import { isIP } from 'node:net';

/**
 * Creates the check of a `Host` header. A page of a browser whose own name is made to lead to this machine (DNS rebinding)
 * sends that name, so only known names are accepted. An address is no name that can be rebound.
 * @param names host names, or addresses of pages whose host counts
 */
export function createHostCheck(names: readonly string[]): (host: string | undefined) => boolean {
  const allowed = new Set(['localhost', ...names.map((name) => hostOf(name) ?? name.toLowerCase())]);
  return (host) => {
    // No browser leaves the header out.
    if (host === undefined) return true;
    const name = hostOf(`http://${host}`);
    return name !== undefined && (allowed.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  };
}

/** In lower case, without port; IPv6 addresses in brackets. */
const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
