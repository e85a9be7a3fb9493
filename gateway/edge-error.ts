import { STATUS_CODES } from 'node:http';
import { challengeOf } from '../platform/auth/unauthenticated.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { visible, type HeaderList } from './headers.js';

/** An error as a caller of a model sees it. */
export interface EdgeError {
  status: number;
  headers: HeaderList;
  body: string;
}

/** Headers that clients act on. */
const EXTRA: Readonly<Record<number, HeaderList>> = {
  503: ['retry-after', '1'],
};

/**
 * The reason is in `x-slipway-error` and in `message` of a JSON body, beside the field that the protocol of `target`
 * reads. 403 names the required role, so that it helps, and 401 what is wrong with the token.
 */
export function toEdgeError(err: unknown, target = ''): EdgeError {
  const { status, message, code } = exposed(err);
  const challenge = status === 401 && err instanceof SlipwayError ? ['www-authenticate', challengeOf(err)] : [];
  const headers = [...challenge, ...(EXTRA[status] ?? []), 'x-slipway-error', visible(message)];
  const body = {
    message,
    ...(target.startsWith('/v2') ? { error: message } : {}),
    ...(target.startsWith('/invocations') ? { error_code: code.toUpperCase() } : {}),
  };
  return {
    status,
    headers: ['content-type', 'application/json; charset=utf-8', ...headers],
    body: JSON.stringify(body),
  };
}

/** The part of an error that a client may read. */
export function exposed(err: unknown): { status: number; code: string; message: string } {
  if (!(err instanceof SlipwayError)) return { status: 500, code: 'internal', message: 'Internal Server Error' };
  const { status, code, issues } = err;
  const reason = status === 401 ? issues[0]?.message : undefined;
  const message = reason === undefined ? err.message : `${err.message}: ${reason}`;
  return { status, code, message: err.expose ? message : (STATUS_CODES[status] ?? code) };
}
