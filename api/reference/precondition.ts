import type { RowState } from '../../reference/dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { etagOf } from './representation.js';
import type { ReferenceContext } from './state.js';

/** What a write says of the entity that it expects. */
export type Precondition =
  { kind: 'none' } | { kind: 'absent' } | { kind: 'any' } | { kind: 'versions'; versions: number[] };

/** Of our tags, only the entity's version matters for a write. */
const TAG = /^"(\d{1,10})\.\d+\.[\w-]+"$/;

export function preconditionOf(ctx: Pick<ReferenceContext, 'headers'>): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = ctx.headers;
  if (match !== undefined && noneMatch !== undefined) {
    throw new SlipwayError('parameter.invalid', 'send If-Match or If-None-Match, not both');
  }
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*') throw new SlipwayError('parameter.invalid', 'If-None-Match of a write is *');
    return { kind: 'absent' };
  }
  return match === undefined ? { kind: 'none' } : parseIfMatch(match);
}

/** An `If-Match`: tags of ours, or `*`. A tag that is not ours matches nothing. */
export function parseIfMatch(text: string): Precondition {
  if (text.trim() === '*') return { kind: 'any' };
  const versions = text.split(',').map((tag) => Number(TAG.exec(tag.trim())?.[1] ?? NaN));
  return { kind: 'versions', versions };
}

export interface Expecting {
  precondition: Precondition;
  generation: number;
  /** Whether an entity that exists may be written without a precondition. */
  blind: boolean;
}

/** @throws write.precondition with the current etag, write.precondition_required */
export function checkPrecondition(current: RowState | undefined, expecting: Expecting): void {
  const { precondition, generation, blind } = expecting;
  const exists = current !== undefined && current.body !== null;
  const etag = exists ? etagOf({ version: current.version, generation, ids: 'string' }) : undefined;
  const fails = (why: string) => {
    throw new SlipwayError('write.precondition', why, { members: etag === undefined ? {} : { etag } });
  };
  switch (precondition.kind) {
    case 'none':
      if (exists && !blind) {
        throw new SlipwayError('write.precondition_required', 'the entity exists: say which version of it you mean', {
          members: { etag },
        });
      }
      return;
    case 'absent':
      if (exists) fails('the entity exists');
      return;
    case 'any':
      if (!exists) fails('the entity does not exist');
      return;
    case 'versions':
      if (!exists) fails('the entity does not exist');
      else if (!precondition.versions.includes(current.version)) fails(`the entity is at version ${current.version}`);
  }
}
