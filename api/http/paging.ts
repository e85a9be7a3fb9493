import type { ApiContext } from './state.js';

/** Answers one page of `matches` (which are in order already) as a bare array. */
export function sendPage<Entity>(
  ctx: ApiContext,
  matches: readonly Entity[],
  { size, page, toReply }: { size: number; page: number; toReply: (entity: Entity) => object },
): void {
  const start = size * page;
  setPageHeaders(ctx, { size, page, total: matches.length });
  ctx.body = matches.slice(start, start + size).map((entity) => toReply(entity));
}

/** How many there are, and where the next page is. */
export function setPageHeaders(
  ctx: ApiContext,
  { size, page, total }: { size: number; page: number; total: number },
): void {
  ctx.set('X-Total-Count', String(total));
  if (size === 0 || size * (page + 1) >= total) return;
  const query = new URLSearchParams(ctx.querystring);
  query.set('size', String(size));
  query.set('page', String(page + 1));
  // Relative: right behind every gateway and prefix.
  ctx.set('Link', `<?${query.toString()}>; rel="next"`);
}
