import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose';
import { z } from 'zod';
import { SlipwayError } from '../kinds/errors.js';

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url({ protocol: /^https?$/ }),
  token_endpoint: z.url().optional().catch(undefined),
});

const REQUEST_TIMEOUT_MS = 5_000;
/** An unknown key id makes the keys be read again, at most this often: made-up ids cannot flood the issuer. */
const COOLDOWN_MS = 5_000;
/** Keys that could not be refreshed for this long are refused: the issuer may have withdrawn them. */
const STALE_MS = 60 * 60_000;

export interface IssuerEndpoints {
  jwks: string;
  /** Absent when the issuer names none. */
  token: string | undefined;
}

/** The OpenID issuer whose tokens are accepted, with its one cache of public keys per process. */
export interface Issuer {
  /** As in the claim `iss`. */
  url: string;
  /**
   * Finds the public key that signed a token.
   * @throws unavailable when the keys cannot be read, or are older than an hour
   */
  findKey: JWTVerifyGetKey;
  /** Raised whenever the key set changes: whatever was verified before has to be verified again. */
  revision(): number;
  /** @throws unavailable */
  endpoints(): Promise<IssuerEndpoints>;
  /** Reads the keys now. @throws unavailable */
  refresh(): Promise<void>;
  /** Stops the periodic refresh. */
  close(): void;
}

export interface IssuerOptions {
  /** As in the claim `iss`. */
  url: string;
  /** How often the keys are read again. A key that the issuer withdrew is dropped within this time. */
  refreshMs?: number;
  fetch?: typeof globalThis.fetch;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

interface OpenIssuer extends IssuerEndpoints {
  keys: RemoteJWKSet;
}

export function createIssuer(options: IssuerOptions): Issuer {
  const { url, refreshMs = 60_000, fetch = globalThis.fetch, now = Date.now } = options;
  let opening: Promise<OpenIssuer> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let readAt = -Infinity;
  let keyText = '';
  let revision = 0;

  async function discover(): Promise<OpenIssuer> {
    const address = `${withoutSlash(url)}/.well-known/openid-configuration`;
    const response = await fetch(address, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: 'error' });
    if (!response.ok) throw new Error(`${address} answered ${response.status}`);
    const { issuer, jwks_uri: jwks, token_endpoint: token } = Discovery.parse(await response.json());
    // OpenID Connect Discovery, section 4.3: otherwise one issuer could name the keys of another.
    if (withoutSlash(issuer) !== withoutSlash(url)) throw new Error(`${address} is of the issuer ${issuer}`);
    if (url.startsWith('https:') && !jwks.startsWith('https:')) throw new Error(`${jwks} is not an https address`);
    const keys = createRemoteJWKSet(new URL(jwks), {
      // The age is checked by `findKey`, which goes on with known keys while the issuer does not answer.
      cacheMaxAge: Infinity,
      cooldownDuration: COOLDOWN_MS,
      timeoutDuration: REQUEST_TIMEOUT_MS,
      [customFetch]: fetch,
    });
    await keys.reload();
    noteKeys(keys);
    readAt = now();
    timer ??= setInterval(() => void refresh().catch(() => undefined), refreshMs).unref();
    return { jwks, token, keys };
  }

  async function open(): Promise<OpenIssuer> {
    opening ??= discover();
    const mine = opening;
    try {
      return await mine;
    } catch (cause) {
      if (opening === mine) opening = undefined;
      throw unavailable(cause);
    }
  }

  function noteKeys(keys: RemoteJWKSet): void {
    const text = JSON.stringify(keys.jwks());
    if (text === keyText) return;
    keyText = text;
    readAt = now();
    revision += 1;
  }

  async function refresh(): Promise<void> {
    const { keys } = await open();
    try {
      await keys.reload();
    } catch (cause) {
      throw unavailable(cause);
    }
    readAt = now();
    noteKeys(keys);
  }

  const findKey: JWTVerifyGetKey = async (header, token) => {
    const { keys } = await open();
    if (now() - readAt > STALE_MS) await refresh();
    try {
      return await keys(header, token);
    } catch (cause) {
      // No key for this token; every other failure is one of reading the keys.
      if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      if (cause instanceof errors.JOSENotSupported) throw cause;
      throw unavailable(cause);
    } finally {
      noteKeys(keys);
    }
  };

  return {
    url,
    findKey,
    revision: () => revision,
    endpoints: async () => {
      const { jwks, token } = await open();
      return { jwks, token };
    },
    refresh,
    close: () => clearInterval(timer),
  };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const unavailable = (cause: unknown): SlipwayError =>
  cause instanceof SlipwayError
    ? cause
    : new SlipwayError('unavailable', 'the OpenID issuer does not answer as it should', { cause });

/** The address that gives tokens; `undefined` while the issuer does not answer, or when it names none. */
export const tokenEndpoint = (issuer: Pick<Issuer, 'endpoints'>): Promise<string | undefined> =>
  issuer.endpoints().then(
    ({ token }) => token,
    () => undefined,
  );
