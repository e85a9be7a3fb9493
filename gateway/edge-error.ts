import { STATUS_CODES } from 'node:http';
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
  401: ['www-authenticate', 'Bearer'],
  503: ['retry-after', '1'],
};

/**
 * The reason is in `x-slipway-error` and in `message` of a JSON body, beside the field that the protocol of `target`
 * reads. 403 names the required role, so that it helps.
 */
export function toEdgeError(err: unknown, target = ''): EdgeError {
  const { status, message, code } = exposed(err);
  const headers = [...(EXTRA[status] ?? []), 'x-slipway-error', visible(message)];
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
  const { status, code } = err;
  return { status, code, message: err.expose ? err.message : (STATUS_CODES[status] ?? code) };
}
