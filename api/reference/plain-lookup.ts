import { lookUpAll } from '../../reference/look-up.js';
import { LOOKUP_CACHING } from './freshness.js';
import { DEFAULT_LIMIT, toText } from './lookup.js';
import { type LookupForm, lookupJson, lookupTag } from './lookup-answer.js';
import type { PlainRead } from './plain-read.js';
import { decode } from './query.js';
import { createRenderer } from './rendering.js';

/** `GET /v2/{dataset}/lookup?q=` with no other option than `limit`. */
export const plainLookup: PlainRead = {
  path: /^\/v2\/([a-z][a-z0-9_]{0,62})\/lookup\?q=([^&#]*)(?:&limit=([1-9]|[1-4]\d|50))?$/,
  open({ dataset, declaration, parts: [q = '', most], missing }) {
    const index = dataset.index?.built;
    // The index goes on with its own declaration while one for a newer is being built.
    if (index?.lookup === undefined || index.declaration.generation !== declaration.generation) return undefined;
    const text = toText(decode(q));
    const limit = most === undefined ? DEFAULT_LIMIT : Number(most);
    const { spec, generation } = declaration;
    const { rows, visible: version } = dataset.replica;
    const form: LookupForm = { text, limit, ids: 'string', missing };
    const render = missing && createRenderer({ rows, spec, ids: 'string', missing });
    return {
      etag: lookupTag({ version, generation }, form),
      headers: LOOKUP_CACHING,
      body: () =>
        lookupJson(lookUpAll({ rows, index }, { text, limit, version }), {
          rows,
          leaves: index.leaves,
          version,
          render,
        }),
    };
  },
};
