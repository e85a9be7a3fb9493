import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { type ErrorCode, SlipwayError } from '../../platform/kinds/errors.js';
import { isExplained, PROBLEM_TEXTS } from './problem-texts.js';
import type { ReferenceState, ReferenceStep } from './state.js';

/** Words of the layers below, as clients of `/v2` read them. */
const AS: Partial<Record<ErrorCode, keyof typeof PROBLEM_TEXTS>> = {
  unavailable: 'store.unavailable',
  bad_json: 'body.malformed',
  too_large: 'body.too_large',
};
/** The time that most of these need to heal. */
const RETRY_SECONDS = 1;

/** The word for an error that clients know. */
export function publicCodeOf({ code }: SlipwayError): keyof typeof PROBLEM_TEXTS {
  const known = AS[code] ?? code;
  return isExplained(known) ? known : 'internal';
}

/** What a client reads of an error, as problem document (RFC 9457). */
export function toProblem(error: SlipwayError, requestId: string): Record<string, unknown> {
  const code = publicCodeOf(error);
  return {
    type: `/v2/problems/${code}`,
    title: PROBLEM_TEXTS[code].title,
    status: error.status,
    code,
    ...(error.expose && { detail: error.message }),
    instance: `urn:slipway:request:${requestId}`,
    ...error.members,
    ...(error.problems.length > 0 && { errors: error.problems }),
  };
}

/** The only place where an error becomes a response of `/v2`. */
export function problems({ logger }: { logger: Logger }): Middleware<ReferenceState> {
  return async function problems(ctx, next) {
    try {
      await next();
    } catch (cause) {
      const error = cause instanceof SlipwayError ? cause : new SlipwayError('internal', 'unexpected error', { cause });
      const { requestId } = ctx.state;
      ctx.status = error.status;
      ctx.body = JSON.stringify(toProblem(error, requestId));
      ctx.type = 'application/problem+json';
      ctx.remove('ETag');
      ctx.remove('Last-Modified');
      ctx.set('Cache-Control', 'no-store');
      if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer, ApiKey header="x-api-key"');
      if (error.status === 503) ctx.set('Retry-After', String(RETRY_SECONDS));
      if (!error.expose) logger.error({ err: error, detail: error.detail, requestId }, error.message);
    }
  };
}

/** `GET /v2/problems/{code}`: what `type` of a problem leads to. */
export const explainProblem: ReferenceStep = async (ctx) => {
  const { code = '' } = ctx.params;
  if (!isExplained(code)) throw new SlipwayError('path.not_found', 'there is no such problem');
  ctx.set('Cache-Control', 'public, max-age=3600');
  ctx.body = { code, ...PROBLEM_TEXTS[code] };
};
