import { STATUS_CODES } from 'node:http';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ApiState } from './state.js';

/** The only place where an error becomes a response: always JSON, always with `message`, never a stack trace. */
export function errors({ logger }: { logger: Logger }): Middleware<ApiState> {
  return async function errors(ctx, next) {
    try {
      await next();
    } catch (cause) {
      const error = cause instanceof SlipwayError ? cause : new SlipwayError('internal', 'unexpected error', { cause });
      const { requestId } = ctx.state;
      ctx.status = error.status;
      ctx.body = {
        message: error.expose ? error.message : STATUS_CODES[error.status],
        code: error.code,
        requestId,
        ...(error.issues.length > 0 && { errors: error.issues }),
      };
      if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
      if (error.status === 503) ctx.set('Retry-After', '2');
      if (!error.expose) logger.error({ err: error, detail: error.detail, requestId }, error.message);
    }
  };
}
