import { hash } from 'node:crypto';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { HttpContext } from './state.js';

/** Part of a tag: the beginning of the SHA-256 of a text. */
export const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 12);

/** Tags without the suffix that an encoded answer adds to them. */
export const plainTags = (header: string): string => header.replaceAll(/;(br|zstd|gzip)"/g, '"');

/** Compares an `If-None-Match` with a tag, weakly as RFC 9110 requires. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return plainTags(header)
    .split(',')
    .some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/** Sets the tag. @returns true when the client has this answer already and the reply is 304 without body */
export function isKnown(ctx: Pick<HttpContext, 'headers' | 'method' | 'set' | 'status'>, etag: string): boolean {
  ctx.set('ETag', etag);
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const known = isRead && matchesTag(ctx.headers['if-none-match'], etag);
  if (known) ctx.status = 304;
  return known;
}

/** Checks the `If-Match` of settings, which have one tag. @throws write.precondition with the current etag */
export function requireTag(ctx: Pick<HttpContext, 'get'>, etag: string, resource: string): void {
  const match = ctx.get('If-Match');
  if (match === '' || match === '*' || match === etag) return;
  throw new SlipwayError('write.precondition', `the ${resource} was changed meanwhile: read it again and repeat`, {
    members: { etag },
  });
}
