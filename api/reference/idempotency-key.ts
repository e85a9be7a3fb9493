import { createHash, randomBytes } from 'node:crypto';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { ReferenceContext } from './state.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * What a repeat of this call is known by.
 * @param digest of the body, where another body is another call
 * @throws parameter.invalid
 */
export function keyOf(ctx: ReferenceContext, digest: string): string | undefined {
  const key = ctx.get('Idempotency-Key');
  if (ctx.headers['idempotency-key'] === undefined) return undefined;
  if (!KEY.test(key)) {
    throw new SlipwayError('parameter.invalid', 'Idempotency-Key has 1 to 255 visible ASCII characters');
  }
  const call = [ctx.state.client.actor, ctx.method, ctx.path, key, digest];
  return createHash('sha256').update(JSON.stringify(call)).digest('base64url');
}

const ID_BYTES = 9;

/**
 * Id of what a call makes, as `sub_...`: a repeat with the same `Idempotency-Key` and body comes to the same.
 * @param digest of the body
 * @throws parameter.invalid, idempotency.mismatch
 */
export async function drawId(
  ctx: ReferenceContext,
  { reservedIds, prefix, digest }: { reservedIds: ReservedIds; prefix: string; digest: string },
): Promise<{ id: string; isRepeat: boolean }> {
  const key = keyOf(ctx, '');
  const drawn = BigInt(`0x${randomBytes(ID_BYTES).toString('hex')}`);
  const { id, isRepeat } =
    key === undefined ? { id: drawn, isRepeat: false } : await reservedIds.reserve(prefix, { key, digest }, drawn);
  return { id: `${prefix}_${id.toString(16).padStart(2 * ID_BYTES, '0')}`, isRepeat };
}

/**
 * Inserts what a call makes unless an earlier try of it did.
 * @param find what that one made
 */
export async function insertOnce<E>(
  isRepeat: boolean,
  { find, insert }: { find: () => Promise<E | undefined>; insert: () => Promise<E> },
): Promise<E> {
  const before = isRepeat ? await find() : undefined;
  if (before !== undefined) return before;
  try {
    return await insert();
  } catch (err) {
    const isTaken = err instanceof SlipwayError && err.code === 'already_exists';
    const made = isTaken ? await find() : undefined;
    if (made === undefined) throw err;
    return made;
  }
}
