import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { refuseAbandoned } from './abandoned.js';
import { accessLog } from './access-log.js';
import { compression } from './compression.js';
import { errors, type RenderError } from './errors.js';
import { requestId } from './request-id.js';
import type { HttpState } from './state.js';

export interface HttpAppOptions<State extends HttpState> {
  logger: Logger;
  render: RenderError;
  subjectOf: (state: State) => string | undefined;
  levelOf?: (method: string) => 'info' | 'debug';
  newId?: () => string;
  /** Middleware that also sees the replies of errors, between the access log and the error sink. */
  outer?: readonly Middleware<State>[];
}

/**
 * Creates the Koa application of one side with the steps that both share: request id, access log, compression, error sink
 * and the refusal of changes that their client has given up.
 */
export function createHttpApp<State extends HttpState>(options: HttpAppOptions<State>): Koa<State> {
  const { logger, render, newId, outer = [] } = options;
  const app = new Koa<State>();
  // The error sink answers every error; this one ended a reply that had begun.
  app.on('error', (err: unknown) => logger.warn({ err }, 'a reply broke off'));
  app.use(requestId({ newId })).use(accessLog(options)).use(compression());
  for (const each of outer) app.use(each);
  return app.use(errors({ logger, render })).use(refuseAbandoned);
}
