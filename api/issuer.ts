import { JwksClient, SigningKeyNotFoundError } from 'jwks-rsa';
import { z } from 'zod';
import { SlipwayError } from '../resources/errors.js';

const Discovery = z.object({ jwks_uri: z.url(), token_endpoint: z.url() });
const Jwks = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) });
const MINUTE_MS = 60_000;
/** A new key of the issuer is known this soon, and made-up key ids cost one request in this time. */
const REFETCH_MS = 5_000;

/** The OpenID issuer whose tokens are accepted. */
export interface Issuer {
  url: string;
  /**
   * Public key (PEM) that signed a token, by the key id in the token's header. Known keys are served from memory for
   * ten minutes, and for an hour while the issuer does not answer.
   * @throws unavailable; jwks-rsa's errors for a key id that the issuer does not have
   */
  findKey(header: { kid?: string }): Promise<string>;
  /** @throws unavailable */
  endpoints(): Promise<{ jwks: string; token: string }>;
}

export function createIssuer({ issuer, fetchJson = getJson }: IssuerOptions): Issuer {
  const url = issuer.replace(/\/+$/, '');
  const endpoints = once(async () => {
    const { jwks_uri, token_endpoint } = Discovery.parse(await fetchJson(`${url}/.well-known/openid-configuration`));
    return { jwks: jwks_uri, token: token_endpoint };
  }, 10 * MINUTE_MS);
  const keys = once(async () => Jwks.parse(await fetchJson((await endpoints()).jwks)), REFETCH_MS);
  // No `rateLimit`: it would let made-up key ids use up the requests that real ones need.
  const client = new JwksClient({
    fetcher: keys,
    cache: true,
    cacheMaxAge: 10 * MINUTE_MS,
    cacheMaxAgeFallback: 60 * MINUTE_MS,
  });
  const unavailable = (cause: unknown) =>
    new SlipwayError('unavailable', 'the OpenID issuer does not answer as it should', { cause });
  return {
    url: issuer,
    async findKey({ kid }) {
      try {
        return (await client.getSigningKey(kid)).getPublicKey();
      } catch (cause) {
        if (cause instanceof SigningKeyNotFoundError) throw cause;
        throw unavailable(cause);
      }
    },
    endpoints: () => endpoints().catch((cause: unknown) => Promise.reject(unavailable(cause))),
  };
}

interface IssuerOptions {
  /** As in the claim `iss`. */
  issuer: string;
  fetchJson?: (url: string) => Promise<unknown>;
}

/** One call for all who ask within `forMs`; a failed one is not kept. */
function once<T>(call: () => Promise<T>, forMs: number): () => Promise<T> {
  let kept: { result: Promise<T>; until: number } | undefined;
  return () => {
    if (kept && performance.now() < kept.until) return kept.result;
    const result = call();
    kept = { result, until: performance.now() + forMs };
    result.catch(() => (kept = undefined));
    return result;
  };
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: 'error' });
  if (!response.ok) throw new SlipwayError('unavailable', `${url} answered ${response.status}`);
  return response.json();
}
