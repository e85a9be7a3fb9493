import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { diskFull, isDiskFull } from '../../platform/kinds/disk-full.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { HttpContext, HttpState } from './state.js';

/** Writes an error into the reply of one side: `renderMessage` for `/api/v1`, `renderProblem` for `/v2`. */
export type RenderError = (
  ctx: Pick<HttpContext, 'body' | 'remove' | 'set' | 'state' | 'type'>,
  error: SlipwayError,
) => void;

/** The only place where an error becomes a response: always JSON, never a stack trace. */
export function errors({ logger, render }: { logger: Logger; render: RenderError }): Middleware<HttpState> {
  return async function errors(ctx, next) {
    try {
      await next();
    } catch (cause) {
      const error = toSlipwayError(cause);
      ctx.status = error.status;
      render(ctx, error);
      logHidden(error, { logger, requestId: ctx.state.requestId });
    }
  };
}

export function toSlipwayError(cause: unknown): SlipwayError {
  if (cause instanceof SlipwayError) return cause;
  if (isDiskFull(cause)) return diskFull('the server', cause);
  return new SlipwayError('internal', 'unexpected error', { cause });
}

/** Logs an error whose message the client does not see. */
export function logHidden(error: SlipwayError, { logger, requestId }: { logger: Logger; requestId: string }): void {
  if (!error.expose) logger.error({ err: error, detail: error.detail, requestId }, error.message);
}
