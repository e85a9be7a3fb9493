import { SlipwayError } from '../../resources/errors.js';
import { covers } from '../../resources/scope.js';
import type { ApiKeys } from '../../stores/api-keys.js';
import type { VerifyBearer } from './bearer.js';
import type { Client, ReferenceStep } from './state.js';

export interface CredentialsOptions {
  keys: Pick<ApiKeys, 'verify'>;
  verifyBearer: VerifyBearer;
}

const BEARER = /^Bearer +([^\s]+)$/i;

/**
 * Wants `x-api-key` or `Authorization: Bearer <JWT>`, on equal terms.
 * @throws auth.required, auth.invalid, auth.two_credentials; unavailable when the issuer's keys cannot be read
 */
export function credentials({ keys, verifyBearer }: CredentialsOptions): ReferenceStep {
  async function identify(key: string | string[] | undefined, authorization: string | undefined): Promise<Client> {
    if (key !== undefined && authorization !== undefined) {
      throw new SlipwayError('auth.two_credentials', 'send x-api-key or Authorization, not both');
    }
    if (typeof key === 'string') {
      const known = keys.verify(key);
      if (known === undefined) throw new SlipwayError('auth.invalid', 'the API key is not accepted');
      return { actor: `key:${known.id}`, scopes: known.scopes };
    }
    if (authorization === undefined) throw new SlipwayError('auth.required', 'a credential is needed');
    const [, token] = BEARER.exec(authorization) ?? [];
    if (token === undefined) throw new SlipwayError('auth.invalid', 'Authorization is not Bearer with a token');
    return verifyBearer(token);
  }

  return async function credentials(ctx, next) {
    const { 'x-api-key': key, authorization } = ctx.req.headers;
    ctx.state.client = await identify(key, authorization);
    await next();
  };
}

/** @throws auth.scope, naming the one that is missing */
export function requireScope({ scopes }: Client, wanted: string): void {
  if (!covers(scopes, wanted)) {
    throw new SlipwayError('auth.scope', `the scope ${wanted} is missing`, { members: { scope: wanted } });
  }
}
