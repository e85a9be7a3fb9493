import type { AnyResource } from '../../platform/kinds/resource.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ApiContext } from '../http/state.js';

/** Answers one resource with `ETag: "<generation>-<revision>"`; 304 when the caller has this revision already. */
export function sendResource(
  ctx: ApiContext,
  { generation, revision }: Pick<AnyResource, 'generation' | 'revision'>,
  reply: object,
  status = 200,
): void {
  const etag = `"${generation}-${revision}"`;
  ctx.status = status;
  ctx.set('ETag', etag);
  if (isRead(ctx) && tagsOf(ctx.get('If-None-Match')).some((tag) => tag === '*' || tag === etag)) ctx.status = 304;
  else ctx.body = reply;
}

// Not koa's `fresh`: HTTP clients add `Cache-Control: no-cache` to conditional requests by themselves, which switches it off.
const isRead = ({ method }: ApiContext): boolean => method === 'GET' || method === 'HEAD';

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));

/** `If-Match` compares the generation only: a change of status breaks no edit. @throws revision_mismatch */
export function checkIfMatch(ctx: ApiContext, { id, generation }: Pick<AnyResource, 'id' | 'generation'>): void {
  const header = ctx.get('If-Match').trim();
  if (header === '' || header === '*') return;
  const matches = tagsOf(header).some((tag) => /^"?(\d+)(?:-\d+)?"?$/.exec(tag)?.[1] === String(generation));
  if (!matches) throw new SlipwayError('revision_mismatch', `entity "${id}" was changed meanwhile`);
}
