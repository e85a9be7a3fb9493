import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createLookupIndex } from '../../../reference/lookup/lookup-index.js';
import { queryIn, world } from './generators.js';
import { oracleSearch } from './oracle.js';
import { WORLD_FIELDS, worldSource } from './world.js';

test('every answer is the answer of the oracle: rows, buckets, typos, order', () => {
  const questions = world.chain((rows) =>
    fc.tuple(fc.constant(rows), fc.array(queryIn(rows), { minLength: 1, maxLength: 8 })),
  );
  fc.assert(
    fc.property(questions, fc.integer({ min: 1, max: 50 }), ([rows, queries], limit) => {
      const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(rows), rows: rows.keys() });
      for (const query of queries) {
        const hits = index.query(query, { limit }).hits.map(({ row, bucket, typos }) => ({ row, bucket, typos }));
        expect({ query, hits }).toEqual({ query, hits: oracleSearch(rows, query, limit) });
      }
    }),
    { numRuns: 100 },
  );
});
