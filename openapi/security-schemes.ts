import type { oas31 } from 'openapi3-ts';

/**
 * The ways to a token; any one of them will do.
 * @param tokenEndpoint where the OpenID issuer gives tokens for client credentials; without it there is only the token to paste
 */
export function tokenSchemes(tokenEndpoint: string | undefined): Record<string, oas31.SecuritySchemeObject> {
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token that you have already.',
  } as const;
  if (tokenEndpoint === undefined) return { bearer };
  const description = 'Client id and secret of the OpenID issuer. They go to the issuer alone, and are not stored.';
  const flows = { clientCredentials: { tokenUrl: tokenEndpoint, scopes: {} } };
  return { login: { type: 'oauth2', description, flows }, bearer };
}
