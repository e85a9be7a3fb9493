import type { ApiContext } from './state.js';

/** Answers one page of `matches` (which are in order already) as a bare array. */
export function sendPage<Entity>(
  ctx: ApiContext,
  matches: readonly Entity[],
  { size, page, toReply }: { size: number; page: number; toReply: (entity: Entity) => object },
): void {
  const start = size * page;
  ctx.set('X-Total-Count', String(matches.length));
  if (start + size < matches.length && size > 0) {
    const query = new URLSearchParams(ctx.querystring);
    query.set('size', String(size));
    query.set('page', String(page + 1));
    // Relative: right behind every gateway and prefix.
    ctx.set('Link', `<?${query.toString()}>; rel="next"`);
  }
  ctx.body = matches.slice(start, start + size).map((entity) => toReply(entity));
}
