import rawBody from 'raw-body';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { HttpContext } from './state.js';

/** @throws body.too_large, body.malformed when the connection ends before the body */
export async function readBytes(
  { req, request }: Pick<HttpContext, 'req' | 'request'>,
  limit: number,
): Promise<Buffer> {
  try {
    return await rawBody(req, { length: request.length, limit });
  } catch (cause) {
    if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') {
      throw new SlipwayError('body.too_large', `the body is larger than ${limit} bytes: send a smaller one`, { cause });
    }
    throw new SlipwayError('body.malformed', 'the body ended early: send the request again', { cause });
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** @throws body.malformed */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new SlipwayError('body.malformed', 'the body is not valid UTF-8', { cause });
  }
}

/** Whether a body follows the head of the request. */
export const hasBody = ({ headers, request }: Pick<HttpContext, 'headers' | 'request'>): boolean =>
  headers['transfer-encoding'] !== undefined || (request.length ?? 0) > 0;
