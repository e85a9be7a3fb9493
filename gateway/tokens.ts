import { createHash } from 'node:crypto';
import { createRemoteJWKSet, errors, jwtVerify, type RemoteJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { SlipwayError } from '../platform/kinds/errors.js';
import { rolesOf } from '../platform/kinds/roles.js';

/** The caller: the platform's roles and free role names. */
export interface Caller {
  roles: readonly string[];
}

/** @throws unauthenticated; unavailable when the issuer's keys were never read and cannot be */
export type VerifyToken = (authorization: string | undefined) => Promise<Caller>;

export interface TokensOptions {
  issuer: string;
  /** Accepted audiences. */
  audience: string[];
  /** Dotted paths of the claims that carry roles. */
  roleClaims: readonly string[];
  /** A checked token is believed for this long at most, and never past its `exp`. */
  cacheMs?: number;
  /** How often the issuer's keys are read again; they are kept while it does not answer. */
  refreshMs?: number;
  now?: () => number;
}

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const LEEWAY_SECONDS = 30;
const CACHED_TOKENS = 10_000;
const Discovery = z.object({ jwks_uri: z.url(), token_endpoint: z.url().optional().catch(undefined) });

/** Checks bearer tokens of one OpenID issuer; a checked one is remembered by its digest, never by itself. */
export function createTokens({
  issuer,
  audience,
  roleClaims,
  cacheMs = 300_000,
  refreshMs = 60_000,
  now = Date.now,
}: TokensOptions) {
  const known = new LRUCache<string, { caller: Caller; until: number }>({ max: CACHED_TOKENS });
  let keys: RemoteJWKSet | undefined;
  let finding: Promise<RemoteJWKSet> | undefined;
  let fingerprint = '';
  let tokenEndpoint: string | undefined;

  async function findKeys(): Promise<RemoteJWKSet> {
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(address, { signal: AbortSignal.timeout(5_000), redirect: 'error' });
    const { jwks_uri, token_endpoint } = Discovery.parse(await response.json());
    tokenEndpoint = token_endpoint;
    // Never too old to use: the timer below replaces them, and an outage of the issuer does not end ours.
    const found = createRemoteJWKSet(new URL(jwks_uri), { cacheMaxAge: Infinity, cooldownDuration: 30_000 });
    await found.reload();
    return found;
  }

  async function issuerKeys(): Promise<RemoteJWKSet> {
    if (keys !== undefined) return keys;
    finding ??= findKeys().finally(() => (finding = undefined));
    try {
      return (keys = await finding);
    } catch (cause) {
      throw new SlipwayError('unavailable', 'the keys of the OpenID issuer cannot be read', { cause });
    }
  }

  /** A key that the issuer withdrew must not live on in checked tokens. */
  function forgetOnKeyChange(): void {
    const current = JSON.stringify(keys?.jwks());
    if (current !== fingerprint) known.clear();
    fingerprint = current;
  }

  async function check(token: string): Promise<{ caller: Caller; until: number }> {
    const found = await issuerKeys();
    try {
      const { payload } = await jwtVerify(token, found, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: LEEWAY_SECONDS,
        requiredClaims: ['exp'],
        currentDate: new Date(now()),
      });
      const expires = ((payload.exp ?? 0) + LEEWAY_SECONDS) * 1_000;
      return { caller: { roles: rolesOf(payload, roleClaims) }, until: Math.min(expires, now() + cacheMs) };
    } catch (cause) {
      if (cause instanceof errors.JOSEError && !(cause instanceof errors.JWKSTimeout)) {
        throw new SlipwayError('unauthenticated', 'Unauthorized', { cause });
      }
      throw new SlipwayError('unavailable', 'the keys of the OpenID issuer cannot be read', { cause });
    } finally {
      forgetOnKeyChange();
    }
  }

  const verify: VerifyToken = async (authorization) => {
    const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new SlipwayError('unauthenticated', 'Unauthorized');
    const digest = createHash('sha256').update(token).digest('base64');
    const remembered = known.get(digest);
    if (remembered !== undefined && remembered.until > now()) return remembered.caller;
    const checked = await check(token);
    known.set(digest, checked);
    return checked.caller;
  };

  /** Reads the issuer's keys (again). */
  async function refresh(): Promise<void> {
    await (keys === undefined ? issuerKeys() : keys.reload());
    forgetOnKeyChange();
  }

  /** Where the issuer gives tokens; undefined while it does not answer. */
  async function findTokenEndpoint(): Promise<string | undefined> {
    await issuerKeys().catch(() => undefined);
    return tokenEndpoint;
  }

  // An issuer that does not answer is not news here: a token that needs it says so.
  const timer = setInterval(() => void refresh().catch(() => undefined), refreshMs).unref();
  return { verify, refresh, findTokenEndpoint, close: (): void => clearInterval(timer) };
}
