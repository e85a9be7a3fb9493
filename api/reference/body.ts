import { createHash } from 'node:crypto';
import rawBody from 'raw-body';
import { parseJson } from '../../reference/rows/json.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ReferenceContext } from './state.js';

const JSON_TYPES = ['application/json'];

export interface BodyOptions {
  limitBytes: number;
  types?: readonly string[];
}

/**
 * The JSON of a body, with the digits of its integers, and the SHA-256 of its bytes.
 * @throws body.type, body.too_large, body.malformed
 */
export async function readJson(ctx: ReferenceContext, { limitBytes, types = JSON_TYPES }: BodyOptions) {
  requireType(ctx, types);
  const bytes = await readBytes(ctx, limitBytes);
  return { given: parseJson(decode(bytes)), digest: createHash('sha256').update(bytes).digest('base64url') };
}

/** The same of a body that may be left out; `{}` where there is none. */
export async function readOptionalJson(ctx: ReferenceContext, options: BodyOptions): Promise<unknown> {
  const isEmpty = (ctx.request.length ?? 0) === 0 && ctx.headers['transfer-encoding'] === undefined;
  return isEmpty ? {} : (await readJson(ctx, options)).given;
}

/** @throws body.type */
export function requireType(ctx: ReferenceContext, types: readonly string[]): string {
  const [type = ''] = ctx.get('Content-Type').split(';');
  const given = type.trim().toLowerCase();
  if (types.includes(given)) return given;
  throw new SlipwayError('body.type', `the body must be ${types.join(' or ')}`);
}

async function readBytes({ req, request }: ReferenceContext, limitBytes: number): Promise<Buffer> {
  try {
    return await rawBody(req, { length: request.length, limit: limitBytes });
  } catch (cause) {
    if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') {
      throw new SlipwayError('body.too_large', `the body is larger than ${limitBytes} bytes`, { cause });
    }
    throw new SlipwayError('body.malformed', 'the body ended early', { cause });
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SlipwayError('body.malformed', 'the body is not UTF-8', { cause });
  }
}
