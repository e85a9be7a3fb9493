import { STATUS_CODES } from 'node:http';
import type { ErrorCode, Issue } from '../../platform/kinds/errors.js';
import { challengeOf } from '../../platform/auth/unauthenticated.js';
import type { RenderError } from './errors.js';

/** Codes of `/api/v1` for errors of the code that both sides share. */
const CODES: Partial<Record<ErrorCode, ErrorCode>> = {
  'body.malformed': 'bad_json',
  'body.too_large': 'too_large',
  'parameter.invalid': 'bad_query',
  'path.method': 'method_not_allowed',
  'path.not_found': 'not_found',
};
/** The time that most unavailable services need to recover. */
const RETRY_SECONDS = 2;

/** Adds the JSON pointer to the place in the body. */
const withPointer = ({ path, pointer = `/${path.replaceAll('.', '/')}`, code, message }: Issue): Issue => ({
  ...{ path, pointer, code, message },
});

/** Writes an error as `/api/v1` answers it: `message`, `code`, `requestId` and, of a validation or a refused caller, `errors`. */
export const renderMessage: RenderError = (ctx, error) => {
  const { status, expose, message, publicMessage, code, issues } = error;
  ctx.body = {
    message: expose ? message : (publicMessage ?? STATUS_CODES[status]),
    code: CODES[code] ?? code,
    requestId: ctx.state.requestId,
    ...(issues.length > 0 && { errors: issues.map(withPointer) }),
  };
  if (status === 401) ctx.set('WWW-Authenticate', challengeOf(error));
  if (status === 503) ctx.set('Retry-After', String(RETRY_SECONDS));
};
