import { isRecord } from '../../platform/kinds/record.js';

export const isLocal = (address: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname);

/** The client that an issuer of this machine offers for development, in its discovery document. */
export async function findDevelopmentClient({
  tokenEndpoint,
  fetch,
}: {
  tokenEndpoint: string;
  fetch: typeof globalThis.fetch;
}): Promise<{ id: string; secret: string } | undefined> {
  if (!isLocal(tokenEndpoint)) return undefined;
  const url = new URL('/.well-known/openid-configuration', tokenEndpoint);
  const options = { signal: AbortSignal.timeout(5_000) };
  const document: unknown = await fetch(url, options)
    .then((response) => response.json())
    .catch(() => undefined);
  const found = isRecord(document) ? document.slipway_development_client : undefined;
  if (!isRecord(found) || typeof found.id !== 'string' || typeof found.secret !== 'string') return undefined;
  return { id: found.id, secret: found.secret };
}
