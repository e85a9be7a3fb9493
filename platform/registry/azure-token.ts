import { decodeJwt } from 'jose';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { refusedBy } from './failures.js';
import { attempt, identityFailed, type IssuedToken, postForm, readJson, type TokenRequest } from './issued-token.js';

export interface AzureAccess {
  /** Host of the registry. */
  host: string;
  /** A service principal. `ambient`: the identity of the process, or of what it runs on. */
  principal: { tenant: string; client: string; secret: string } | 'ambient';
  dispatcher?: Dispatcher | undefined;
}

const LOGIN = 'https://login.microsoftonline.com';
const SCOPE = 'https://containerregistry.azure.net/.default';
/** The user of every refresh token. */
const USERNAME = '00000000-0000-0000-0000-000000000000';
/** For a token whose end is not known; most last three hours. */
const SHORT_MS = 10 * 60_000;

/** A password of Azure Container Registry, for three hours: its refresh token. @throws run_failed, unavailable */
export async function azureToken(access: AzureAccess, request: TokenRequest): Promise<IssuedToken> {
  const { host, principal, dispatcher } = access;
  const asked = { ...request, dispatcher };
  const access_token = await (principal === 'ambient' ? tokenOfProcess(request) : tokenOf(principal, asked));
  const tenant = principal !== 'ambient' && { tenant: principal.tenant };
  const form = { grant_type: 'access_token', service: host, ...tenant, access_token };
  const password = read(await postForm(`https://${host}/oauth2/exchange`, form, asked), 'refresh_token', asked);
  return { username: USERNAME, password, expiresAt: endOf(password) };
}

async function tokenOf(
  { tenant, client, secret }: Exclude<AzureAccess['principal'], 'ambient'>,
  asked: Parameters<typeof postForm>[2],
): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: client, client_secret: secret, scope: SCOPE };
  return read(await postForm(`${LOGIN}/${tenant}/oauth2/v2.0/token`, form, asked), 'access_token', asked);
}

async function tokenOfProcess(asked: TokenRequest): Promise<string> {
  const { DefaultAzureCredential } = await import('@azure/identity');
  const found = await new DefaultAzureCredential().getToken(SCOPE).catch((err: unknown) => {
    throw identityFailed(asked, err);
  });
  return found.token;
}

function read(text: string, field: 'access_token' | 'refresh_token', asked: TokenRequest): string {
  const token = readJson(text, z.object({ [field]: z.string().min(1) }))?.[field];
  if (token === undefined) throw refusedBy(attempt(asked), 200, 'an answer without a token');
  return token;
}

function endOf(token: string): number {
  try {
    const { exp } = decodeJwt(token);
    if (exp !== undefined) return exp * 1_000;
  } catch {
    // Its form is not specified.
  }
  return Date.now() + SHORT_MS;
}
