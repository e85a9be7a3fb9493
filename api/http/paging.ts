import type { ApiContext } from './state.js';

/** Sets the number of matches and the link to the next page. */
export function setPageHeaders(
  ctx: ApiContext,
  { size, page, total }: { size: number; page: number; total: number },
): void {
  ctx.set('X-Total-Count', String(total));
  if (size === 0 || size * (page + 1) >= total) return;
  const query = new URLSearchParams(ctx.querystring);
  query.set('size', String(size));
  query.set('page', String(page + 1));
  // Relative, so that it is valid after every gateway and prefix.
  ctx.set('Link', `<?${query.toString()}>; rel="next"`);
}
