import type { HttpContext } from './state.js';

/** @param headers names and values in turns, as `writeHead` of node:http takes them */
export function setHeaders(ctx: Pick<HttpContext, 'set'>, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) ctx.set(headers[at] ?? '', headers[at + 1] ?? '');
}
