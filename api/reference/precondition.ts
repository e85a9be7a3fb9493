import type { RowState } from '../../reference/dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { quote } from '../http/parameters.js';
import { etagOf } from './representation.js';
import type { ReferenceContext } from './state.js';

/** The state of a row that a write expects. */
export type Precondition =
  { kind: 'none' } | { kind: 'absent' } | { kind: 'any' } | { kind: 'versions'; versions: number[] };

/** A tag of a row: a write compares only the version, its first number. */
const TAG = /^"(\d{1,10})\.\d+\.[\w-]+"$/;

export function preconditionOf(ctx: Pick<ReferenceContext, 'headers'>): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = ctx.headers;
  if (match !== undefined && noneMatch !== undefined) {
    throw new SlipwayError('parameter.invalid', 'If-Match and If-None-Match cannot be combined: send one of the two');
  }
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*')
      throw new SlipwayError(
        'parameter.invalid',
        `If-None-Match ${quote(noneMatch)} is not accepted for a write: send *, or If-Match with an ETag`,
      );
    return { kind: 'absent' };
  }
  return match === undefined ? { kind: 'none' } : parseIfMatch(match);
}

/** Parses an `If-Match`: tags of rows, or `*`. Any other tag matches no version. */
export function parseIfMatch(text: string): Precondition {
  if (text.trim() === '*') return { kind: 'any' };
  const versions = text.split(',').map((tag) => Number(TAG.exec(tag.trim())?.[1] ?? NaN));
  return { kind: 'versions', versions };
}

export interface Expecting {
  precondition: Precondition;
  generation: number;
  /** Whether an existing row may be written without a precondition. */
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
        throw new SlipwayError('write.precondition_required', 'the entity exists: send If-Match with its ETag', {
          members: { etag },
        });
      }
      return;
    case 'absent':
      if (exists) fails('the entity exists already: send If-Match with its ETag to change it');
      return;
    case 'any':
      if (!exists) fails('the entity does not exist: send If-None-Match: * to create it');
      return;
    case 'versions':
      if (!exists) fails('the entity does not exist: send If-None-Match: * to create it');
      else if (!precondition.versions.includes(current.version))
        fails(`the entity is at version ${current.version}: read it again, then repeat with its ETag`);
  }
}
