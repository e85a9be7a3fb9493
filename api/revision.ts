import type { AnyEntity } from '../resources/entity.js';
import { SlipwayError } from '../resources/errors.js';
import type { ApiContext } from './state.js';

/** Answers one entity with `ETag: "<generation>-<revision>"`; 304 when the caller has this revision already. */
export function sendEntity(
  ctx: ApiContext,
  { generation, revision }: Pick<AnyEntity, 'generation' | 'revision'>,
  reply: object,
  status = 200,
): void {
  ctx.status = status;
  ctx.set('ETag', `"${generation}-${revision}"`);
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = reply;
}

/** `If-Match` compares the generation only: a change of status breaks no edit. @throws revision_mismatch */
export function checkIfMatch(ctx: ApiContext, { id, generation }: Pick<AnyEntity, 'id' | 'generation'>): void {
  const header = ctx.get('If-Match').trim();
  if (header === '' || header === '*') return;
  const matches = header
    .split(',')
    .some((tag) => /^(?:W\/)?"?(\d+)(?:-\d+)?"?$/.exec(tag.trim())?.[1] === String(generation));
  if (!matches) throw new SlipwayError('revision_mismatch', `entity "${id}" was changed meanwhile`);
}
