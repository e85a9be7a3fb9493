import { LRUCache } from 'lru-cache';
import { lookUpAll } from '../../reference/dataset/lookup-query.js';
import { LOOKUP_CACHING } from './freshness.js';
import { DEFAULT_LIMIT, toText } from './lookup.js';
import { type LookupForm, lookupJson, lookupTag } from './lookup-answer.js';
import type { RowRead } from './row-reads.js';
import { decode } from '../http/parameters.js';
import { createRenderer } from './rendering.js';

/** Length of the prefixes that are few enough to keep their answers. */
const SHORT = 3;
const KEPT_CHARS = 16 * 2 ** 20;

/** `GET /v2/{dataset}/lookup?q=` with no other option than `limit`. */
export function createShortLookup(): RowRead {
  /** Answers for short prefixes by dataset and tag; two answers with one tag are the same. */
  const known = new LRUCache<string, string>({ maxSize: KEPT_CHARS, sizeCalculation: ({ length }) => length });
  return {
    path: /^\/v2\/([a-z][a-z0-9_]{0,62})\/lookup\?q=([^&#]*)(?:&limit=([1-9]|[1-4]\d|50))?$/,
    open({ dataset, declaration, parts: [q = '', most], missing }) {
      const index = dataset.index?.built;
      // While the index of a newer declaration is built, the current one keeps the older declaration.
      if (index?.lookup === undefined || index.declaration.generation !== declaration.generation) return undefined;
      const text = toText(decode(q));
      const limit = most === undefined ? DEFAULT_LIMIT : Number(most);
      const { spec, generation } = declaration;
      const { leaves } = index;
      const { rows, visible: version } = dataset.replica;
      const form: LookupForm = { text, limit, ids: 'string', missing };
      const etag = lookupTag({ version, generation }, form);
      const key = text.length > SHORT ? undefined : `${dataset.name} ${etag}`;
      return {
        etag,
        headers: LOOKUP_CACHING,
        body() {
          const before = key && known.get(key);
          if (before !== undefined) return before;
          const render = missing && createRenderer({ rows, spec, ids: 'string', missing });
          const found = lookUpAll({ rows, index }, { text, limit, version });
          const body = lookupJson(found, { rows, leaves, version, render });
          if (key !== undefined) known.set(key, body);
          return body;
        },
      };
    },
  };
}
