import type { LookupAnswer, LookupHit } from '../../reference/lookup/lookup-index.js';
import type { RowStore } from '../../reference/rows/row-store.js';
import type { IdForm } from '../../reference/rows/row-writer.js';
import type { Leaf } from '../../reference/dataset/dataset-leaves.js';
import type { Missing } from './missing.js';
import { shortHash } from '../http/etag.js';

/** The request that an answer depends on, besides the state of the dataset. */
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
  /** Renders a row as JSON in the requested form; by default a row is sent as stored. */
  render?: ((row: number) => string) | undefined;
}

/** @param state version of the dataset and generation of its declaration */
export function lookupTag(state: { version: number; generation: number }, form: LookupForm): string {
  const { text, limit, filter, fields, ids, missing } = form;
  const parts = JSON.stringify(['lookup', text, limit, filter, fields, ids, missing?.versions]);
  return `"${state.version}.${state.generation}.${shortHash(parts)}"`;
}

/** Renders the answer as JSON with one char per byte of UTF-8, so that stored rows need no decoding. */
export function lookupJson({ query, hits }: LookupAnswer, { rows, leaves, version, render }: LookupShown): string {
  const items = hits.map((hit) => {
    const row = render === undefined ? rows.bytes(hit.row).toString('latin1') : byteText(render(hit.row));
    return `${row.slice(0, -1)},"match":${matchOf(hit, leaves)}}`;
  });
  return `{"query":${byteText(JSON.stringify(query))},"dataset_version":${version},"items":[${items.join(',')}]}`;
}

const byteText = (text: string): string => Buffer.from(text).toString('latin1');

/** Names of fields are ASCII, so one char is one byte here too. */
function matchOf({ bucket, typos, field, index, ranges }: LookupHit, leaves: ReadonlyMap<string, Leaf>): string {
  return JSON.stringify({ bucket, typos, field, ...(leaves.get(field)?.list && { index }), ranges });
}
