import { hash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { SlipwayError } from '../kinds/errors.js';
import type { Issuer } from './issuer.js';
import { tokenInvalid } from './unauthenticated.js';

/** Never symmetric: a public key must not pass as a shared secret. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const LEEWAY_SECONDS = 30;
const CACHED_TOKENS = 10_000;
const BEARER = /^Bearer +([^\s]+)$/i;

/** A verified payload. A token without an end would outlive every change of rights, and `sub` names the actor. */
export type Claims = JWTPayload & { sub: string; exp: number };

/**
 * Verifies a token of the issuer; answers at once when the token was verified before.
 * @throws unauthenticated; unavailable when the issuer's keys cannot be read
 */
export type VerifyToken<Identity> = (token: string) => Identity | Promise<Identity>;

export interface TokenVerifierOptions<Identity> {
  issuer: Issuer;
  /** Accepted values of `aud`. */
  audience: string[];
  /** Selects the claims that the caller of this verifier needs. */
  toIdentity: (claims: Claims) => Identity;
  /** A verified token is cached for this long, and never past its `exp`. */
  cacheMs?: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** The one verifier of bearer tokens. A verified token is cached by its digest, never by itself. */
export function createTokenVerifier<Identity>(options: TokenVerifierOptions<Identity>): VerifyToken<Identity> {
  const { issuer, audience, toIdentity, cacheMs = 60_000, now = Date.now } = options;
  const verified = new LRUCache<string, { identity: Identity; until: number }>({ max: CACHED_TOKENS });
  let revision = 0;

  /** Drops what withdrawn keys had verified. */
  function followKeys(): void {
    if (issuer.revision() === revision) return;
    revision = issuer.revision();
    verified.clear();
  }

  async function verify(token: string, digest: string): Promise<Identity> {
    const claims = await readClaims(token, { issuer, audience, now });
    const identity = toIdentity(claims);
    followKeys();
    verified.set(digest, { identity, until: Math.min(now() + cacheMs, (claims.exp + LEEWAY_SECONDS) * 1_000) });
    return identity;
  }

  return (token) => {
    followKeys();
    const digest = hash('sha256', token, 'base64');
    const known = verified.get(digest);
    return known !== undefined && known.until > now() ? known.identity : verify(token, digest);
  };
}

/** The token of `Authorization: Bearer <token>`; `undefined` when the header is absent or of another form. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  BEARER.exec(authorization ?? '')?.[1];

type ReadClaims = Pick<TokenVerifierOptions<unknown>, 'issuer' | 'audience'> & { now: () => number };

async function readClaims(token: string, { issuer, audience, now }: ReadClaims): Promise<Claims> {
  try {
    const { payload } = await jwtVerify(token, issuer.findKey, {
      issuer: issuer.url,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_SECONDS,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
    });
    const { sub = '', exp = 0 } = payload;
    if (sub === '') throw tokenInvalid('the claim sub of the token is empty');
    return { ...payload, sub, exp };
  } catch (cause) {
    if (cause instanceof SlipwayError) throw cause;
    const isRefused = cause instanceof errors.JOSEError || cause instanceof TypeError;
    if (!isRefused) throw cause;
    throw tokenInvalid(reasonOf(cause), cause);
  }
}

/** A sentence for the caller; the claims that are compared are no secret. */
function reasonOf(cause: unknown): string {
  if (cause instanceof errors.JWTExpired) return 'the token has expired: get a new one';
  if (cause instanceof errors.JWTClaimValidationFailed)
    return CLAIMS[cause.claim] ?? `the claim ${cause.claim} is wrong`;
  const isForeign = cause instanceof errors.JWSSignatureVerificationFailed || cause instanceof errors.JWKSNoMatchingKey;
  if (isForeign) return 'the signature of the token is by no key of the issuer';
  return 'the token cannot be read: send an access token of the issuer, whole and unchanged';
}

const CLAIMS: Readonly<Record<string, string>> = {
  iss: 'the token is from another issuer',
  aud: 'the token is for another audience',
  nbf: 'the token is not valid yet',
  exp: 'the token has no end (claim exp)',
  sub: 'the token names no subject (claim sub)',
};
