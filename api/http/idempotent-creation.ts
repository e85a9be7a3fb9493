import { createHash, randomBytes } from 'node:crypto';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import { idempotencyKeyOf } from './idempotency.js';
import type { HttpContext } from './state.js';

/** A call of `/v2`, where the resource is stored once instead of the reply: a repeat answers its present state. */
type Call = Pick<HttpContext<{ client: { actor: string } }>, 'get' | 'headers' | 'method' | 'path' | 'state'>;

/**
 * Identifies a call and its repeats by the caller, the path and the `Idempotency-Key`.
 * @param digest of the body, where another body is another call
 * @throws parameter.invalid
 */
export function callDigest(ctx: Call, digest: string): string | undefined {
  const key = idempotencyKeyOf(ctx);
  if (key === undefined) return undefined;
  const call = [ctx.state.client.actor, ctx.method, ctx.path, key, digest];
  return createHash('sha256').update(JSON.stringify(call)).digest('base64url');
}

const ID_BYTES = 9;

/**
 * Draws the id of a new resource, as `sub_...`. A repeat with the same `Idempotency-Key` and body gets the same id.
 * @param digest of the body
 * @throws parameter.invalid, idempotency.mismatch
 */
export async function drawId(
  ctx: Call,
  { reservedIds, prefix, digest }: { reservedIds: ReservedIds; prefix: string; digest: string },
): Promise<{ id: string; isRepeat: boolean }> {
  const key = callDigest(ctx, '');
  const drawn = BigInt(`0x${randomBytes(ID_BYTES).toString('hex')}`);
  const { id, isRepeat } =
    key === undefined ? { id: drawn, isRepeat: false } : await reservedIds.reserve(prefix, { key, digest }, drawn);
  return { id: `${prefix}_${id.toString(16).padStart(2 * ID_BYTES, '0')}`, isRepeat };
}

/**
 * Inserts a new resource unless an earlier try of the same call inserted it.
 * @param find reads the resource of the earlier try
 */
export async function insertOnce<Resource>(
  isRepeat: boolean,
  { find, insert }: { find: () => Promise<Resource | undefined>; insert: () => Promise<Resource> },
): Promise<Resource> {
  const before = isRepeat ? await find() : undefined;
  if (before !== undefined) return before;
  try {
    return await insert();
  } catch (err) {
    const isTaken = err instanceof SlipwayError && err.code === 'already_exists';
    const existing = isTaken ? await find() : undefined;
    if (existing === undefined) throw err;
    return existing;
  }
}
