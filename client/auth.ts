import { SlipwayApiError, toUnreachable } from './errors.js';

export interface Token {
  value: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Where requests get their bearer from. `renew` asks for another one than before: the server has refused that. */
export interface TokenSource {
  token(options?: { renew?: boolean }): Promise<string>;
}

/** Keeps a token beyond one process, so that not every command asks the issuer. */
export interface TokenCache {
  read(): Promise<Token | undefined>;
  write(token: Token): Promise<void>;
}

export interface ClientCredentialsOptions {
  /** Address of the issuer's token endpoint, or how to find it out. */
  tokenEndpoint: string | (() => Promise<string>);
  clientId: string;
  clientSecret: string;
  scope?: string;
  cache?: TokenCache;
  fetch?: typeof globalThis.fetch;
  now?: () => number;
}

/** A token is renewed so long before its end, or at nine tenths of a short life. */
const EARLY_MS = 60_000;

/** A token that the caller renews. */
export const fixedToken = (value: string): TokenSource => ({ token: async () => value });

/** Tokens by the client credentials grant (RFC 6749, 4.4), renewed before they end; requests at the same time share one. */
export function clientCredentials(options: ClientCredentialsOptions): TokenSource {
  const { cache, now = Date.now } = options;
  let known: Token | undefined;
  let pending: Promise<Token> | undefined;

  async function load(renew: boolean): Promise<Token> {
    const kept = renew ? undefined : (known ?? (await cache?.read()));
    if (kept !== undefined && kept.expiresAt > now()) return kept;
    const fresh = await requestToken(options);
    await cache?.write(fresh);
    return fresh;
  }

  return {
    async token({ renew = false } = {}) {
      if (!renew && known !== undefined && known.expiresAt > now()) return known.value;
      pending ??= load(renew).finally(() => (pending = undefined));
      known = await pending;
      return known.value;
    },
  };
}

/** @throws login_failed, unreachable */
export async function requestToken({
  tokenEndpoint,
  clientId,
  clientSecret,
  scope = 'openid',
  fetch = globalThis.fetch,
  now = Date.now,
}: ClientCredentialsOptions): Promise<Token> {
  const url = typeof tokenEndpoint === 'string' ? tokenEndpoint : await tokenEndpoint();
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...(scope && { scope }),
  });
  const askedAt = now();
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(30_000) }).catch(
    (cause: unknown) => {
      throw toUnreachable(url, cause);
    },
  );
  const reply = await readReply(response);
  if (response.ok && typeof reply.access_token === 'string') {
    const lifeMs = (typeof reply.expires_in === 'number' ? reply.expires_in : 300) * 1_000;
    return { value: reply.access_token, expiresAt: askedAt + Math.max(lifeMs * 0.9, lifeMs - EARLY_MS) };
  }
  throw refusal(response.status, reply, clientId);
}

async function readReply(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => ({}));
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

function refusal(status: number, reply: Record<string, unknown>, clientId: string): SlipwayApiError {
  const words = [reply.error, reply.error_description].filter((word) => typeof word === 'string').join(': ');
  const why =
    status === 401 || reply.error === 'invalid_client'
      ? `the issuer does not know client "${clientId}" with this secret; it may be mistyped, expired or replaced`
      : `the issuer gave no token for client "${clientId}" (status ${status}${words && `, ${words}`})`;
  return new SlipwayApiError('login_failed', why, { status });
}
