import { SlipwayError } from '../../platform/kinds/errors.js';
import type { IdempotencyStore } from '../../platform/stores/idempotency.js';
import type { ApiContext, Step } from './state.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Headers of a reply that belong to its content; the others are made anew for every request. */
const KEPT_HEADERS = ['ETag'];

/**
 * A repeated POST with the same `Idempotency-Key` and body gets the first reply again; a call that failed is not kept,
 * so its repeat is tried anew.
 * @throws bad_query for an impossible key, idempotency_mismatch
 */
export function idempotency({ idempotency: store }: { idempotency: IdempotencyStore }): Step {
  return async function idempotency(ctx, next) {
    const key = ctx.get('Idempotency-Key');
    if (ctx.headers['idempotency-key'] === undefined) {
      await next();
      return;
    }
    if (!KEY.test(key)) {
      throw new SlipwayError('bad_query', 'the header Idempotency-Key must have 1 to 255 visible ASCII characters');
    }
    const begun = await store.begin({
      caller: ctx.state.caller.sub,
      method: ctx.method,
      path: ctx.path.replace(/\/+$/, ''),
      key,
      body: ctx.state.bodyBytes ?? Buffer.alloc(0),
    });
    if (!begun.first) {
      ctx.set('Idempotency-Replayed', 'true');
      ctx.set(begun.reply.headers);
      ctx.status = begun.reply.status;
      ctx.type = 'json';
      ctx.body = begun.reply.body;
      return;
    }
    try {
      await next();
    } catch (error) {
      await begun.abandon();
      throw error;
    }
    await begun.finish({ status: ctx.status, headers: keptHeaders(ctx), body: JSON.stringify(ctx.body) });
  };
}

function keptHeaders(ctx: ApiContext): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value: unknown = ctx.response.get(name);
    if (typeof value === 'string' && value !== '') kept[name] = value;
  }
  return kept;
}
