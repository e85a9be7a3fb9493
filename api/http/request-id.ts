import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { ApiState } from './state.js';

// A caller's own id is kept when it is harmless in a log line and in a header.
const ACCEPTED = /^[\w.:-]{1,128}$/;

/** Names the request: `X-Request-Id` of the caller or a new one; it stands in the reply, the log and the audit record. */
export function requestId({ newId = randomUUID }: { newId?: () => string } = {}): Middleware<ApiState> {
  return async function requestId(ctx, next) {
    const given = ctx.get('X-Request-Id');
    ctx.state.requestId = ACCEPTED.test(given) ? given : newId();
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
  };
}
