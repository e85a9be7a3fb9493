import { createHash } from 'node:crypto';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { parseJson } from '../../reference/rows/json.js';
import { decodeUtf8, hasBody, readBytes } from './body-bytes.js';
import type { HttpContext } from './state.js';

const JSON_TYPES = ['application/json'];

type Request = Pick<HttpContext, 'get' | 'headers' | 'req' | 'request'>;

export interface BodyOptions {
  limitBytes: number;
  types?: readonly string[];
}

/**
 * Reads the JSON of a body with the digits of its integers, and the SHA-256 of its bytes.
 * @throws body.type, body.too_large, body.malformed
 */
export async function readJson(ctx: Request, { limitBytes, types = JSON_TYPES }: BodyOptions) {
  requireType(ctx, types);
  const bytes = await readBytes(ctx, limitBytes);
  return { given: parseJson(decodeUtf8(bytes)), digest: createHash('sha256').update(bytes).digest('base64url') };
}

/** As `readJson`; a request without body reads as `{}`. */
export const readOptionalJson = async (ctx: Request, options: BodyOptions): Promise<unknown> =>
  hasBody(ctx) ? (await readJson(ctx, options)).given : {};

/** @throws body.type */
export function requireType(ctx: Pick<HttpContext, 'get'>, types: readonly string[]): string {
  const [type = ''] = ctx.get('Content-Type').split(';');
  const given = type.trim().toLowerCase();
  if (types.includes(given)) return given;
  throw new SlipwayError('body.type', `content type "${given}" is not supported here: send ${types.join(' or ')}`);
}
