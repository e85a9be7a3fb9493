import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { ApiState } from './state.js';

/** One line per request. No header, query or body is logged, so no secret can be. */
export function accessLog({ logger, now = () => performance.now() }: AccessLogOptions): Middleware<ApiState> {
  return async function accessLog(ctx, next) {
    const startedAt = now();
    await next();
    logger.info(
      {
        requestId: ctx.state.requestId,
        method: ctx.method,
        path: ctx.path,
        status: ctx.status,
        durationMs: Math.round(now() - startedAt),
        sub: ctx.state.caller?.sub,
      },
      'request',
    );
  };
}

interface AccessLogOptions {
  logger: Logger;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}
