import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { runFailed } from '../kinds/reasons.js';
import { refusedBy } from './failures.js';
import { attempt, identityFailed, type IssuedToken, postForm, readJson, type TokenRequest } from './issued-token.js';

export interface GoogleAccess {
  /** `jsonKey`: text of a service account's key. `ambient`: the identity of the process, or of what it runs on. */
  credentials: { jsonKey: string } | 'ambient';
  dispatcher?: Dispatcher | undefined;
}

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const USERNAME = 'oauth2accesstoken';
/** For a token whose end is not known; most last an hour. */
const SHORT_MS = 10 * 60_000;

const Key = z.object({
  client_email: z.string().min(1),
  private_key: z.string(),
  private_key_id: z.string().optional(),
});
const Answer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

/** A password of Artifact Registry or Container Registry, for an hour. @throws run_failed, unavailable */
export async function googleToken(
  { credentials, dispatcher }: GoogleAccess,
  asked: TokenRequest,
): Promise<IssuedToken> {
  if (credentials === 'ambient') return tokenOfProcess(asked);
  return tokenOfKey(credentials.jsonKey, { ...asked, dispatcher });
}

/** The grant of RFC 7523. No address of the key is used: a caller gave it. */
async function tokenOfKey(text: string, asked: Parameters<typeof postForm>[2]): Promise<IssuedToken> {
  const { client_email, private_key, private_key_id: kid } = readJson(text, Key) ?? refuseKey(asked);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', ...(kid !== undefined && { kid }) })
    .setIssuer(client_email)
    .setAudience(TOKEN_URL)
    .setIssuedAt()
    .setExpirationTime('1 hour')
    .sign(privateKey(private_key, asked));
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  const reply = readJson(await postForm(TOKEN_URL, grant, asked), Answer);
  if (reply === undefined) throw refusedBy(attempt(asked), 200, 'an answer without a token');
  return { username: USERNAME, password: reply.access_token, expiresAt: Date.now() + reply.expires_in * 1_000 };
}

function privateKey(pem: string, asked: TokenRequest): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // Its own message may hold parts of the key.
  }
  return refuseKey(asked);
}

function refuseKey({ reason }: TokenRequest): never {
  const message =
    'keySecret of the connection is not a JSON key of a service account: it needs client_email and an RSA private_key';
  throw runFailed({ reason, message });
}

async function tokenOfProcess(asked: TokenRequest): Promise<IssuedToken> {
  const { GoogleAuth } = await import('google-auth-library');
  const found = new GoogleAuth({ scopes: SCOPE }).getClient().then(async (client) => {
    const { token } = await client.getAccessToken();
    return { token: token ?? '', expiresAt: client.credentials.expiry_date ?? Date.now() + SHORT_MS };
  });
  const { token, expiresAt } = await found.catch((err: unknown) => {
    throw identityFailed(asked, err);
  });
  return { username: USERNAME, password: token, expiresAt };
}
