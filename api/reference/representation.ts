import type { DanglingReference } from '../../reference/dataset/dangling-references.js';
import type { IdForm } from '../../reference/rows/row-writer.js';
import { rowEtag } from '../../reference/rows/row-etag.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { shortHash } from '../http/etag.js';
import type { ReferenceContext } from './state.js';

const JSON_TYPE = 'application/json';
const NUMBERS = /(^|,)\s*application\/json\s*;\s*ids=number\s*(;|,|$)/i;

/**
 * The form of ids in the answer: `Accept: application/json; ids=number` requests numbers.
 * @throws accept.unsupported
 */
export function idFormOf(ctx: Pick<ReferenceContext, 'headers' | 'accepts'>): IdForm {
  const { accept } = ctx.headers;
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return 'string';
  if (NUMBERS.test(accept)) return 'number';
  if (ctx.accepts(JSON_TYPE) === false)
    throw new SlipwayError('accept.unsupported', `no media type of Accept is supported: send ${JSON_TYPE}`);
  return 'string';
}

export interface Shown {
  version: number;
  /** Generation of the declaration. */
  generation: number;
  ids: IdForm;
  /** Canonical text of a projection. */
  fields?: string | undefined;
  /** References of the row that are marked as missing. */
  missing?: readonly DanglingReference[] | undefined;
}

const NOTHING: readonly DanglingReference[] = [];

/** A strong tag: two answers with the same tag have the same bytes. */
export function etagOf({ version, generation, ids, fields, missing = NOTHING }: Shown): string {
  const isStored = ids === 'string' && fields === undefined && missing.length === 0;
  if (isStored) return rowEtag(version, generation);
  const gone = missing.map(({ field, id }) => `${field} ${id}`);
  const form = shortHash([ids, fields ?? '*', ...gone].join());
  return `"${version}.${generation}.${form}"`;
}
