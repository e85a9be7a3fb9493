import { parseId } from '../../reference/rows/id.js';
import { ROW_CACHING } from './freshness.js';
import { lastModifiedOf } from './last-modified.js';
import type { RowRead } from './row-reads.js';
import { etagOf } from './representation.js';

/** `GET /v2/{dataset}/{id}` without any option. */
export const rowFetch: RowRead = {
  path: /^\/v2\/([a-z][a-z0-9_]{0,62})\/([1-9]\d{0,18})$/,
  open({ dataset, declaration, parts: [digits = ''], missing }) {
    const id = parseId(digits);
    if (id === undefined) return undefined;
    const { rows, visible } = dataset.replica;
    const row = rows.findAt(id, visible);
    if (row < 0 || rows.isDeleted(row) || missing?.of(row).length) return undefined;
    const bytes = rows.bytes(row);
    return {
      etag: etagOf({ version: rows.version(row), generation: declaration.generation, ids: 'string' }),
      headers: ['Last-Modified', lastModifiedOf(bytes), ...ROW_CACHING],
      body() {
        return bytes.toString('latin1');
      },
    };
  },
};
