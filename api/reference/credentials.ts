import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken, type VerifyToken } from '../../platform/auth/token-verifier.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { covers } from '../../platform/kinds/scope.js';
import type { ApiKeys } from '../../platform/stores/api-keys.js';
import { quote } from '../http/parameters.js';
import type { Client, ReferenceStep } from './state.js';

export interface CredentialsOptions {
  keys: Pick<ApiKeys, 'verify'>;
  verifyBearer: VerifyToken<Client>;
}

/** A request whose caller is not known. */
export interface Refusal {
  /** The code of the answer, without `auth.` */
  reason: string;
  credential: 'key' | 'token' | 'none';
  requestId: string;
}
export type OnRefused = (refusal: Refusal) => void;

/** The client of a request: not a promise where this process alone can decide, so that a plain read never waits. */
export type Identify = (headers: IncomingHttpHeaders) => Client | Promise<Client>;

/**
 * Wants `x-api-key` or `Authorization: Bearer <JWT>`, on equal terms.
 * @throws auth.required, auth.invalid, auth.origin, auth.two_credentials; unavailable when the issuer's keys cannot be read
 */
export function createIdentify({ keys, verifyBearer }: CredentialsOptions): Identify {
  return ({ 'x-api-key': key, authorization, origin = '' }) => {
    if (key !== undefined && authorization !== undefined) {
      throw new SlipwayError('auth.two_credentials', 'send x-api-key or Authorization, not both');
    }
    if (typeof key === 'string') {
      const known = keys.verify(key);
      if (known === undefined) throw new SlipwayError('auth.invalid', 'the API key is not accepted');
      if (known.origins !== undefined && !known.origins.includes(origin)) {
        throw new SlipwayError('auth.origin', `the API key is not for pages of ${quote(origin)}`);
      }
      const client = { actor: `key:${known.id}`, scopes: known.scopes };
      if (known.row_filters === undefined) return client;
      return { ...client, rowFilters: new Map(Object.entries(known.row_filters)) };
    }
    if (authorization === undefined) throw new SlipwayError('auth.required', 'a credential is needed');
    const token = bearerToken(authorization);
    if (token === undefined) throw new SlipwayError('auth.invalid', 'Authorization is not Bearer with a token');
    const client = verifyBearer(token);
    return client instanceof Promise ? client.catch(refuse) : client;
  };
}

/** Translates the refusal of a token into the code of this API. */
function refuse(cause: unknown): never {
  const isRefused = cause instanceof SlipwayError && cause.code === 'unauthenticated';
  if (!isRefused) throw cause;
  const [issue] = cause.issues;
  throw new SlipwayError('auth.invalid', ['the token is not accepted', issue?.message].filter(Boolean).join(': '), {
    cause,
  });
}

export const credentials =
  (identify: Identify, onRefused: OnRefused): ReferenceStep =>
  async (ctx, next) => {
    try {
      ctx.state.client = await identify(ctx.req.headers);
    } catch (err) {
      const reason = err instanceof SlipwayError && err.code.startsWith('auth.') ? err.code.slice('auth.'.length) : '';
      if (reason !== '') onRefused({ reason, credential: kindOf(ctx.req.headers), requestId: ctx.state.requestId });
      throw err;
    }
    await next();
  };

const kindOf = ({ 'x-api-key': key, authorization }: IncomingHttpHeaders): Refusal['credential'] => {
  if (key !== undefined) return 'key';
  return authorization === undefined ? 'none' : 'token';
};

/** @throws auth.scope, naming the one that is missing */
export function requireScope({ scopes }: Pick<Client, 'scopes'>, wanted: string): void {
  if (!covers(scopes, wanted)) {
    throw new SlipwayError('auth.scope', `the scope ${wanted} is missing`, { members: { scope: wanted } });
  }
}
