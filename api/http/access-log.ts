import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { HttpState } from './state.js';

export interface AccessLogOptions<State extends HttpState> {
  logger: Logger;
  /** The subject of the verified caller, if any. */
  subjectOf: (state: State) => string | undefined;
  /** The level of a line by the method of its request. */
  levelOf?: (method: string) => 'info' | 'debug';
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** Logs one line per request. No header, query or body is logged, so no secret can be. */
export function accessLog<State extends HttpState>({
  logger,
  subjectOf,
  levelOf = () => 'info',
  now = () => performance.now(),
}: AccessLogOptions<State>): Middleware<State> {
  return async function accessLog(ctx, next) {
    const startedAt = now();
    await next();
    const { method, path, status, state } = ctx;
    const durationMs = Math.round(now() - startedAt);
    const { requestId } = state;
    logger[levelOf(method)]({ requestId, method, path, status, durationMs, sub: subjectOf(state) }, 'request');
  };
}
