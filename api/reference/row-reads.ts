import { covers } from '../../platform/kinds/scope.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import { matchesTag } from '../http/etag.js';
import { freshnessOf } from './freshness.js';
import { type Missing, openMissing } from './missing.js';
import type { ShortCut } from './short-cuts.js';

/** A read that is answered from memory and recognized by its path alone. */
export interface RowRead {
  /** Its first group is the name of the dataset; `open` gets the others as `parts`. */
  path: RegExp;
  /** Finds the answer before the request is counted. @returns undefined where the Koa application answers */
  open(asked: OpenRead): OpenedRead | undefined;
}

export interface OpenRead extends ReadyDataset {
  parts: readonly string[];
  missing: Missing | undefined;
}

export interface OpenedRead {
  etag: string;
  /** Names and values in turns. */
  headers: readonly string[];
  /** JSON as the bytes of its UTF-8, one char each; called only when the client does not have it already. */
  body(): string;
}

interface MatchedRead {
  read: RowRead;
  name: string;
  parts: readonly string[];
}

/** Answers fetches and lookups without options straight from memory to the socket. */
export function createRowReads({
  reads,
  datasets,
}: {
  reads: readonly RowRead[];
  datasets: Datasets;
}): ShortCut<MatchedRead> {
  return {
    match({ method, url = '', headers: { accept = '*/*' } }) {
      if (method !== 'GET' || (accept !== '*/*' && accept !== 'application/json')) return undefined;
      for (const read of reads) {
        const found = read.path.exec(url);
        if (found !== null) return { read, name: found[1] ?? '', parts: found.slice(2) };
      }
      return undefined;
    },

    answer({ read, name, parts }, { req, client, count }) {
      if (!covers(client.scopes, `data:read:${name}`) || client.rowFilters?.has(name)) return undefined;
      const ready = datasets.get(name);
      const { dataset, declaration } = ready;
      // Synchronous from here on, so that tag and body show one version.
      const opened = read.open({ dataset, declaration, parts, missing: openMissing(datasets, ready, client) });
      const rate = opened && count();
      if (opened === undefined || rate === undefined) return undefined;
      const { etag } = opened;
      const headers = ['ETag', etag, ...opened.headers, ...freshnessOf(dataset), ...rate];
      if (matchesTag(req.headers['if-none-match'], etag)) return { status: 304, headers };
      headers.push('Content-Type', 'application/json; charset=utf-8');
      return { status: 200, headers, body: { text: opened.body(), encoding: 'latin1' } };
    },
  };
}
