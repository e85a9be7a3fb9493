import type { LookupAnswer, LookupHit } from '../../reference/lookup/lookup-index.js';
import type { RowStore } from '../../reference/rows/row-store.js';
import type { IdForm } from '../../reference/rows/row-writer.js';
import type { Leaf } from '../../reference/dataset/dataset-leaves.js';
import type { Missing } from './missing.js';
import { shortHash } from '../http/etag.js';

/** What an answer depends on beyond the state of the dataset. */
export interface LookupForm {
  text: string;
  limit: number;
  filter?: string | undefined;
  /** Canonical text of a projection. */
  fields?: string | undefined;
  ids: IdForm;
  missing: Missing | undefined;
}

export interface LookupShown {
  rows: Pick<RowStore, 'bytes'>;
  leaves: ReadonlyMap<string, Leaf>;
  version: number;
  /** A row as the client wants it, in JSON; as it is stored by default. */
  render?: ((row: number) => string) | undefined;
}

/** @param state version of the dataset and generation of its declaration */
export function lookupTag(state: { version: number; generation: number }, form: LookupForm): string {
  const { text, limit, filter, fields, ids, missing } = form;
  const told = JSON.stringify(['lookup', text, limit, filter, fields, ids, missing?.versions]);
  return `"${state.version}.${state.generation}.${shortHash(told)}"`;
}

/** The answer in JSON, as the bytes of its UTF-8, a char each: so stored rows become part of it without being decoded. */
export function lookupJson({ query, hits }: LookupAnswer, { rows, leaves, version, render }: LookupShown): string {
  const items = hits.map((hit) => {
    const row = render === undefined ? rows.bytes(hit.row).toString('latin1') : byteText(render(hit.row));
    return `${row.slice(0, -1)},"match":${matchOf(hit, leaves)}}`;
  });
  return `{"query":${byteText(JSON.stringify(query))},"dataset_version":${version},"items":[${items.join(',')}]}`;
}

const byteText = (text: string): string => Buffer.from(text).toString('latin1');

/** Names of fields are ASCII, so these are bytes and chars alike. */
function matchOf({ bucket, typos, field, index, ranges }: LookupHit, leaves: ReadonlyMap<string, Leaf>): string {
  return JSON.stringify({ bucket, typos, field, ...(leaves.get(field)?.list && { index }), ranges });
}
