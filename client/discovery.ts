import { SlipwayApiError, toUnreachable } from './errors.js';

export interface DiscoveryOptions {
  /** Address of the front door. */
  server: string;
  /** OpenID issuer; by default the one that the server names in its OpenAPI document. */
  issuer?: string | undefined;
  fetch?: typeof globalThis.fetch;
}

/**
 * Where tokens for a server come from.
 * @throws unreachable; not_slipway when another server answers; login_failed when neither server nor issuer names a token endpoint
 */
export async function discoverTokenEndpoint({
  server,
  issuer,
  fetch = globalThis.fetch,
}: DiscoveryOptions): Promise<string> {
  if (issuer !== undefined) return ofIssuer(issuer, fetch);
  const document = await getJson(`${withoutSlash(server)}/swagger/data.json`, fetch);
  const schemes = at(at(document, 'components'), 'securitySchemes');
  if (!isRecord(document) || !('openapi' in document) || !isRecord(schemes)) {
    throw new SlipwayApiError('not_slipway', `${server} answers, but not as a Slipway server`);
  }
  const [found] = Object.values(schemes)
    .map((scheme) => at(at(at(scheme, 'flows'), 'clientCredentials'), 'tokenUrl'))
    .filter((url) => typeof url === 'string');
  if (found !== undefined) return found;
  throw new SlipwayApiError(
    'login_failed',
    `${server} cannot reach its OpenID issuer at the moment; name the issuer yourself`,
  );
}

async function ofIssuer(issuer: string, fetch: typeof globalThis.fetch): Promise<string> {
  const found = at(await getJson(`${withoutSlash(issuer)}/.well-known/openid-configuration`, fetch), 'token_endpoint');
  if (typeof found === 'string') return found;
  throw new SlipwayApiError('login_failed', `${issuer} is no OpenID issuer: it names no token endpoint`);
}

async function getJson(url: string, fetch: typeof globalThis.fetch): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) }).catch((cause: unknown) => {
    throw toUnreachable(url, cause);
  });
  return response.json().catch(() => undefined);
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const at = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
