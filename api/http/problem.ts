import { type ErrorCode, SlipwayError } from '../../platform/kinds/errors.js';
import type { RenderError } from './errors.js';
import { setHeaders } from './headers.js';
import { isExplained, PROBLEM_TEXTS } from './problem-texts.js';
import type { HttpContext } from './state.js';

type ProblemCode = keyof typeof PROBLEM_TEXTS;

/** Codes of `/v2` for errors of the layers that both sides share. */
const CODES: Partial<Record<ErrorCode, ProblemCode>> = {
  unavailable: 'store.unavailable',
  disk_full: 'store.full',
  bad_json: 'body.malformed',
  too_large: 'body.too_large',
  quota_exceeded: 'quota.exceeded',
};
/** The time that most unavailable services need to recover. */
const RETRY_SECONDS = 1;

/** The code of an error that clients of `/v2` know; `internal` for any other. */
export function publicCodeOf({ code }: SlipwayError): ProblemCode {
  const known = CODES[code] ?? code;
  return isExplained(known) ? known : 'internal';
}

/** The problem document of an error (RFC 9457). */
export function toProblem(error: SlipwayError, requestId: string): Record<string, unknown> {
  const code = publicCodeOf(error);
  const detail = error.expose ? error.message : error.publicMessage;
  return {
    type: `/v2/problems/${code}`,
    title: PROBLEM_TEXTS[code].title,
    status: error.status,
    code,
    ...(detail !== undefined && { detail }),
    instance: `urn:slipway:request:${requestId}`,
    ...error.members,
    ...(error.problems.length > 0 && { errors: error.problems }),
  };
}

/** Names and values in turns, as `writeHead` of node:http takes them. */
export function problemHeaders({ status }: SlipwayError): string[] {
  const headers = ['Content-Type', 'application/problem+json', 'Cache-Control', 'no-store'];
  if (status === 401) headers.push('WWW-Authenticate', 'Bearer, ApiKey header="x-api-key"');
  if (status === 503) headers.push('Retry-After', String(RETRY_SECONDS));
  return headers;
}

/** Writes an error as `/v2` answers it: a problem document without the validators of the resource. */
export const renderProblem: RenderError = (ctx, error) => {
  ctx.body = JSON.stringify(toProblem(error, ctx.state.requestId));
  ctx.remove('ETag');
  ctx.remove('Last-Modified');
  setHeaders(ctx, problemHeaders(error));
};

/** `GET /v2/problems/{code}`: the page that `type` of a problem refers to. */
export async function explainProblem(ctx: HttpContext): Promise<void> {
  const { code = '' } = ctx.params ?? {};
  if (!isExplained(code)) {
    throw new SlipwayError('path.not_found', `there is no problem code "${code}": use the path in type of a problem`);
  }
  ctx.set('Cache-Control', 'public, max-age=3600');
  ctx.body = { code, ...PROBLEM_TEXTS[code] };
}
