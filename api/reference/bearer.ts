import { hash } from 'node:crypto';
import { errors, importSPKI, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { rolesOf } from '../../platform/kinds/roles.js';
import { scopesOf } from '../../platform/kinds/scope.js';
import type { Issuer } from '../http/issuer.js';
import type { Client } from './state.js';

/**
 * At once where the token was checked before.
 * @throws auth.invalid; unavailable when the issuer's keys cannot be read
 */
export type VerifyBearer = (token: string) => Client | Promise<Client>;

export interface BearerOptions {
  issuer: Issuer;
  audience: string[];
  /** Dotted paths of claims that carry roles. */
  roleClaims: readonly string[];
  /** A checked token is believed for this long, and never past its `exp`. */
  cacheMs?: number;
  now?: () => number;
}

/** Never symmetric: a public key must not pass as a shared secret. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const LEEWAY_SECONDS = 60;
const CACHED_TOKENS = 10_000;

/** Checks tokens of the OpenID issuer; a checked one is remembered by its digest, never by itself. */
export function createBearer(options: BearerOptions): VerifyBearer {
  const { issuer, audience, roleClaims, cacheMs = 60_000, now = Date.now } = options;
  const known = new LRUCache<string, { client: Client; until: number }>({ max: CACHED_TOKENS });

  async function check(token: string): Promise<{ client: Client; until: number }> {
    const { payload } = await jwtVerify(token, async ({ kid, alg }) => importSPKI(await issuer.findKey({ kid }), alg), {
      issuer: issuer.url,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_SECONDS,
      // A token without an end would outlive every change of rights.
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
    });
    const { sub = '', exp = 0 } = payload;
    const scopes = scopesOf(payload, rolesOf(payload, roleClaims));
    return { client: { actor: sub, scopes }, until: Math.min(now() + cacheMs, (exp + LEEWAY_SECONDS) * 1_000) };
  }

  async function verify(token: string, digest: string): Promise<Client> {
    try {
      const checked = await check(token);
      known.set(digest, checked);
      return checked.client;
    } catch (cause) {
      if (cause instanceof SlipwayError && cause.code === 'unavailable') throw cause;
      const isOurs = cause instanceof SlipwayError && cause.code === 'unauthenticated';
      if (!isOurs && !(cause instanceof errors.JOSEError) && !(cause instanceof TypeError)) throw cause;
      throw new SlipwayError('auth.invalid', 'the token is not accepted', { cause });
    }
  }

  return (token) => {
    const digest = hash('sha256', token, 'base64');
    const found = known.get(digest);
    return found !== undefined && found.until > now() ? found.client : verify(token, digest);
  };
}
