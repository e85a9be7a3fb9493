import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { GRAPH_LIMITS } from '../../../reference/graph/index.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { GraphCall } from './request.js';

/** Clients compare this text and repeat the request with the query and its digest. */
const NOT_FOUND = 'PersistedQueryNotFound';

/**
 * Keeps the latest queries by their digest ("automatic persisted queries"): a client that sent a query once with its
 * digest may send the digest alone afterwards.
 */
export function createPersistedQueries() {
  const known = new LRUCache<string, string>({ max: GRAPH_LIMITS.documents });
  return {
    /** @throws graphql.persisted_not_found, graphql.persisted_mismatch */
    textOf({ query, digest }: GraphCall): string {
      const text = query ?? known.get(digest ?? '');
      if (text === undefined) throw new SlipwayError('graphql.persisted_not_found', NOT_FOUND);
      if (query !== undefined && digest !== undefined && sha256(query) !== digest) {
        throw new SlipwayError(
          'graphql.persisted_mismatch',
          'sha256Hash is not the SHA-256 of query: send the digest of this query in hexadecimal digits',
        );
      }
      return text;
    },
    /** Keeps a query after its validation. */
    keep(text: string, { digest }: GraphCall): void {
      if (digest !== undefined) known.set(digest, text);
    },
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
