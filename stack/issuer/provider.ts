import { errors, Provider, type KoaContextWithOIDC } from 'oidc-provider';
import { CLIENTS, isClientId, type ClientId } from './clients.js';
import type { JWK } from 'jose';
import type { TokenIssuer } from './tokens.js';

const SCOPES = ['openid', 'offline_access', 'profile', 'groups'];

/** Pages of the platform on this machine; the secrets of these clients are no secrets. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

interface ProviderOptions {
  issuer: string;
  key: JWK;
  tokens: TokenIssuer;
}

/** Discovery, key set and client authentication are oidc-provider's; the two grants are ours (see tokens.ts). */
export function createProvider({ issuer, key, tokens }: ProviderOptions): Provider {
  const grants = ['client_credentials', 'refresh_token'];
  const provider = new Provider(issuer, {
    clients: Object.entries(CLIENTS).map(([client_id, { secret }]) => ({
      client_id,
      client_secret: secret,
      grant_types: grants,
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_post' as const,
    })),
    clientBasedCORS: (_ctx, origin) => LOOPBACK.test(origin),
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    jwks: { keys: [key] },
    scopes: SCOPES,
    // The command line logs in with it where a person names no client; the client never exists in production.
    discovery: { slipway_development_client: { id: 'demo-admin', secret: CLIENTS['demo-admin'].secret } },
    responseTypes: ['code'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
  });

  provider.registerGrantType(
    'client_credentials',
    async (ctx) => {
      ctx.body = await tokens.issue(authenticated(ctx), requestedScope(ctx) ?? 'openid');
    },
    ['scope'],
  );
  provider.registerGrantType(
    'refresh_token',
    async (ctx) => {
      const clientId = authenticated(ctx);
      const scope = await tokens.readRefreshToken(String(ctx.oidc.params?.refresh_token), clientId);
      if (scope === undefined) throw new errors.InvalidGrant('refresh token is not valid');
      ctx.body = await tokens.issue(clientId, scope);
    },
    ['refresh_token', 'scope'],
  );
  return provider;
}

function authenticated(ctx: KoaContextWithOIDC): ClientId {
  const id = ctx.oidc.client?.clientId;
  if (id === undefined || !isClientId(id)) throw new errors.InvalidClient('unknown client', 'unknown client');
  return id;
}

function requestedScope(ctx: KoaContextWithOIDC): string | undefined {
  const scope = ctx.oidc.params?.scope;
  return typeof scope === 'string' && scope ? scope : undefined;
}
