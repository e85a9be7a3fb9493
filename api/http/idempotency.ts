import { SlipwayError } from '../../platform/kinds/errors.js';
import type { IdempotencyStore, IdempotentCall } from '../../platform/stores/idempotency.js';
import { isUnavailable } from '../../platform/stores/insert-once.js';
import { quote } from './parameters.js';
import type { HttpContext, Step } from './state.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Headers of a reply that belong to its content; the others are set again for every request. */
const KEPT_HEADERS = ['ETag', 'Warning'];

/**
 * Reads the header `Idempotency-Key`, the same on both sides.
 * @throws parameter.invalid
 */
export function idempotencyKeyOf(ctx: Pick<HttpContext, 'get' | 'headers'>): string | undefined {
  if (ctx.headers['idempotency-key'] === undefined) return undefined;
  const key = ctx.get('Idempotency-Key');
  if (KEY.test(key)) return key;
  const remedy = 'send 1 to 255 visible ASCII characters';
  throw new SlipwayError('parameter.invalid', `the header Idempotency-Key ${quote(key)} is not accepted: ${remedy}`);
}

/**
 * A repeated POST with the same `Idempotency-Key` and body gets the first reply again.
 * @throws parameter.invalid for an impossible key, idempotency_mismatch
 */
export function idempotency({ idempotency: store }: { idempotency: IdempotencyStore }): Step {
  return async function idempotency(ctx, next) {
    const key = idempotencyKeyOf(ctx);
    if (key === undefined) {
      await next();
      return;
    }
    const path = ctx.path.replace(/\/+$/, '');
    const body = ctx.state.bodyBytes ?? Buffer.alloc(0);
    const call = { caller: ctx.state.caller.sub, method: ctx.method, path, key, body };
    await answerOnce(ctx, { store, call, answer: next });
  };
}

/**
 * Answers the first call and keeps its reply; a repeat gets that reply and `Idempotency-Replayed: true`. The reply of a
 * call that failed is not kept, so its repeat runs again.
 * @throws idempotency_mismatch when the key came with another body
 */
export async function answerOnce(
  ctx: Pick<HttpContext, 'body' | 'response' | 'set' | 'status' | 'type'>,
  { store, call, answer }: { store: IdempotencyStore; call: IdempotentCall; answer: () => Promise<unknown> },
): Promise<void> {
  const begun = await store.begin(call);
  if (!begun.first) {
    ctx.set('Idempotency-Replayed', 'true');
    ctx.set(begun.reply.headers);
    ctx.status = begun.reply.status;
    ctx.type = 'json';
    ctx.body = begun.reply.body;
    return;
  }
  try {
    await answer();
  } catch (error) {
    // Without the database the record cannot be written either: the caller does not wait for it a second time.
    if (isUnavailable(error)) begun.abandon().catch(() => undefined);
    else await begun.abandon();
    throw error;
  }
  await begun.finish({ status: ctx.status, headers: keptHeaders(ctx), body: JSON.stringify(ctx.body) });
}

function keptHeaders({ response }: Pick<HttpContext, 'response'>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value: unknown = response.get(name);
    if (typeof value === 'string' && value !== '') kept[name] = value;
  }
  return kept;
}
