import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { HttpState } from './state.js';

// A caller's own id is kept when it is harmless in a log line and in a header.
const ACCEPTED = /^[\w.:-]{1,128}$/;

/** Names the request: `X-Request-Id` of the caller or a new id, which the reply, the log and the audit record carry. */
const requestIdOf = (given: string | string[] | undefined, newId: () => string = randomUUID): string =>
  typeof given === 'string' && ACCEPTED.test(given) ? given : newId();

export function requestId({ newId }: { newId?: (() => string) | undefined } = {}): Middleware<HttpState> {
  return async function requestId(ctx, next) {
    ctx.state.requestId = requestIdOf(ctx.req.headers['x-request-id'], newId);
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
  };
}
