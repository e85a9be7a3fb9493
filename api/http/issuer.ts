import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';

const Discovery = z.object({ jwks_uri: z.url(), token_endpoint: z.url() });
const Jwks = z.object({
  keys: z.array(z.looseObject({ kid: z.string(), kty: z.string(), use: z.string().optional() })),
});
const MINUTE_MS = 60_000;
/** A new key of the issuer is known this soon, and made-up key ids cost one request in this time. */
const REFETCH_MS = 5_000;
const FRESH_MS = 10 * MINUTE_MS;
/** So long an outage of the issuer is none of ours. */
const STALE_MS = 60 * MINUTE_MS;

/** The OpenID issuer whose tokens are accepted. */
export interface Issuer {
  /** As in the claim `iss`. */
  url: string;
  /**
   * Public key (PEM) that signed a token, by the key id in the token's header.
   * @throws unauthenticated when the issuer has no such key; unavailable
   */
  findKey(header: { kid?: string }): Promise<string>;
  /** @throws unavailable */
  endpoints(): Promise<{ jwks: string; token: string }>;
}

interface IssuerOptions {
  /** As in the claim `iss`. */
  issuer: string;
  fetchJson?: (url: string) => Promise<unknown>;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

export function createIssuer({ issuer, fetchJson = getJson, now = () => performance.now() }: IssuerOptions): Issuer {
  const discovery = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const endpoints = shared({ forMs: FRESH_MS, now }, async () => {
    const { jwks_uri, token_endpoint } = Discovery.parse(await fetchJson(discovery));
    return { jwks: jwks_uri, token: token_endpoint };
  });
  const readKeys = shared({ forMs: REFETCH_MS, now }, async () => {
    const { keys } = Jwks.parse(await fetchJson((await endpoints()).jwks));
    return { keys: new Map(keys.filter(canSign).map((jwk) => [jwk.kid, toPem(jwk)])), at: now() };
  });
  let known: Awaited<ReturnType<typeof readKeys>> | undefined;

  return {
    url: issuer,
    async findKey({ kid }) {
      if (known === undefined || now() - known.at > FRESH_MS || !pick(known.keys, kid)) {
        try {
          known = await readKeys();
        } catch (cause) {
          if (known === undefined || now() - known.at > STALE_MS) throw unavailable(cause);
        }
      }
      const key = pick(known.keys, kid);
      if (key === undefined) throw new SlipwayError('unauthenticated', 'Unauthorized', { detail: { kid } });
      return key;
    },
    endpoints: () => endpoints().catch((cause: unknown) => Promise.reject(unavailable(cause))),
  };
}

const canSign = ({ kty, use }: { kty: string; use?: string | undefined }): boolean =>
  (kty === 'RSA' || kty === 'EC') && use !== 'enc';

const toPem = (jwk: Record<string, unknown>): string =>
  createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();

/** A token need not name its key when there is only one. */
function pick(keys: ReadonlyMap<string, string>, kid: string | undefined): string | undefined {
  if (kid !== undefined) return keys.get(kid);
  return keys.size === 1 ? [...keys.values()][0] : undefined;
}

const unavailable = (cause: unknown) =>
  new SlipwayError('unavailable', 'the OpenID issuer does not answer as it should', { cause });

/** One call for all who ask within `forMs`; a failed one counts for a short time only. */
function shared<T>({ forMs, now }: { forMs: number; now: () => number }, call: () => Promise<T>): () => Promise<T> {
  let kept: { result: Promise<T>; until: number } | undefined;
  return () => {
    if (kept && now() < kept.until) return kept.result;
    const mine = { result: call(), until: now() + forMs };
    kept = mine;
    mine.result.catch(() => (mine.until = now() + 1_000));
    return mine.result;
  };
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: 'error' });
  if (!response.ok) throw new SlipwayError('unavailable', `${url} answered ${response.status}`);
  return response.json();
}
