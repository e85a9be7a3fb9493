import { hash } from 'node:crypto';
import type { DanglingReference } from '../../reference/dataset/dangling-references.js';
import type { IdForm } from '../../reference/rows/row-writer.js';
import { rowEtag } from '../../reference/rows/row-etag.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ReferenceContext } from './state.js';

const JSON_TYPE = 'application/json';
const NUMBERS = /(^|,)\s*application\/json\s*;\s*ids=number\s*(;|,|$)/i;

/**
 * How ids are written: `Accept: application/json; ids=number` asks for numbers.
 * @throws accept.unsupported
 */
export function idFormOf(ctx: Pick<ReferenceContext, 'headers' | 'accepts'>): IdForm {
  const { accept } = ctx.headers;
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return 'string';
  if (NUMBERS.test(accept)) return 'number';
  if (ctx.accepts(JSON_TYPE) === false) throw new SlipwayError('accept.unsupported', `answers are ${JSON_TYPE}`);
  return 'string';
}

export interface Shown {
  version: number;
  /** Of the declaration. */
  generation: number;
  ids: IdForm;
  /** Canonical text of a projection. */
  fields?: string | undefined;
  /** References of it that are told to lead to nothing. */
  missing?: readonly DanglingReference[] | undefined;
}

const NOTHING: readonly DanglingReference[] = [];

/** Strong: two answers with the same tag have the same bytes. */
export function etagOf({ version, generation, ids, fields, missing = NOTHING }: Shown): string {
  const isStored = ids === 'string' && fields === undefined && missing.length === 0;
  if (isStored) return rowEtag(version, generation);
  const gone = missing.map(({ field, id }) => `${field} ${id}`);
  const form = shortHash([ids, fields ?? '*', ...gone].join());
  return `"${version}.${generation}.${form}"`;
}

export const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 12);

/** Whether the client has this answer already; if so the reply is 304 without body. */
export function isKnown(ctx: ReferenceContext, etag: string): boolean {
  ctx.set('ETag', etag);
  const header = ctx.headers['if-none-match'];
  if (header === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false;
  // Weak comparison, as RFC 9110 has it for If-None-Match.
  const known = header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
  if (known) ctx.status = 304;
  return known;
}
