import { randomUUID } from 'node:crypto';
import { CompactSign, importJWK, jwtVerify, type JWK } from 'jose';
import { CLIENTS, isClientId, type ClientId } from './clients.js';

/** Clients decode the bearer for an hour, and refresh it with the third token for thirty days. */
const ACCESS_SECONDS = 3_600;
const REFRESH_SECONDS = 30 * 86_400;
/** The audience that Slipway accepts; see OIDC_AUDIENCE. */
const AUDIENCE = 'slipway';

export interface TokenResponse {
  access_token: string;
  refresh_token: string;
  id_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
}

interface TokenIssuerOptions {
  issuer: string;
  key: JWK;
  nowSeconds?: () => number;
}

/**
 * Makes the three tokens that clients insist on, for client credentials as well. The refresh token is a signed
 * statement too, with the issuer as its audience: nothing is stored, it outlives a restart, is no bearer, and stays
 * usable beside the one that replaces it.
 */
export function createTokenIssuer({
  issuer,
  key,
  nowSeconds = () => Math.floor(Date.now() / 1000),
}: TokenIssuerOptions) {
  const signingKey = importJWK(key, 'RS256');
  const verifyingKey = importJWK({ kty: key.kty, n: key.n, e: key.e }, 'RS256');

  async function sign(type: string, claims: Record<string, unknown>): Promise<string> {
    const header = { alg: 'RS256', kid: key.kid, typ: type };
    return new CompactSign(toPlainBase64Json(claims)).setProtectedHeader(header).sign(await signingKey);
  }

  return {
    async issue(clientId: ClientId, scope: string): Promise<TokenResponse> {
      const { roles, name } = CLIENTS[clientId];
      const iat = nowSeconds();
      const common = { iss: issuer, sub: clientId, iat, exp: iat + ACCESS_SECONDS };
      const person = { name, email: `${clientId}@example.com`, preferred_username: clientId, realm_access: { roles } };
      const [access_token, id_token, refresh_token] = await Promise.all([
        sign('at+jwt', { ...common, ...person, aud: AUDIENCE, client_id: clientId, scope, jti: randomUUID() }),
        sign('JWT', { ...common, ...person, aud: [AUDIENCE, clientId], azp: clientId }),
        sign('refresh+jwt', { ...common, exp: iat + REFRESH_SECONDS, aud: issuer, scope, jti: randomUUID() }),
      ]);
      return { access_token, refresh_token, id_token, token_type: 'Bearer', expires_in: ACCESS_SECONDS, scope };
    },

    /** The scope of a refresh token of this client; undefined when it is none, expired, or another client's. */
    async readRefreshToken(token: string, clientId: string): Promise<string | undefined> {
      try {
        const { payload } = await jwtVerify(token, await verifyingKey, {
          issuer,
          audience: issuer,
          subject: clientId,
          typ: 'refresh+jwt',
          algorithms: ['RS256'],
          currentDate: new Date(nowSeconds() * 1000),
        });
        return isClientId(clientId) && typeof payload.scope === 'string' ? payload.scope : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
export type TokenIssuer = ReturnType<typeof createTokenIssuer>;

/**
 * JSON whose Base64url form has no `-` or `_`, as old clients decode it with the plain alphabet. Those two stand for
 * the six-bit groups 62 and 63, which ASCII text yields only from `>`, `?`, `~` and DEL.
 */
function toPlainBase64Json(claims: Record<string, unknown>): Uint8Array {
  const text = JSON.stringify(claims).replace(
    /[>?~\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return new TextEncoder().encode(text);
}
