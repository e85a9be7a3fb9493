import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createDatasetIndex, type SavedLookup } from '../../../reference/dataset/dataset-index.js';
import { lookUp } from '../../../reference/dataset/lookup-query.js';
import { createPages } from '../../../reference/dataset/page.js';
import { createReplica } from '../../../reference/dataset/replica.js';
import { createRowLookup } from '../../../reference/dataset/row-lookup.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { requireFilter } from '../../../reference/filter/index.js';

const TIME = '2026-01-01T00:00:00.000Z';
const specs = [
  { fields: ['name'], aliases: ['tags'], weight: 'size' },
  { fields: ['other'], aliases: ['name'], weight: null },
].map((lookup) =>
  DatasetSpec.parse({
    fields: {
      name: { type: 'text' },
      other: { type: 'text' },
      tags: { type: 'list', of: { type: 'text' } },
      size: { type: 'integer' },
    },
    lookup,
  }),
);

const word = fc.constantFrom('san', 'santa', 'york', 'new', 'newyork', 'Élan', 'spring');
const entity = fc.record(
  { name: word, other: word, tags: fc.array(word, { maxLength: 2 }), size: fc.integer({ min: 0, max: 3 }) },
  { requiredKeys: ['name'] },
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('put' as const), id: fc.integer({ min: 1, max: 9 }), entity }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('declare' as const), which: fc.constantFrom(0, 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('forget' as const), versions: fc.integer({ min: 0, max: 9 }) }),
  },
);

test('at every kept version a lookup answers as an index of the rows of that version alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 50 }),
      fc.constantFrom('s', 'san', 'new york', 'elan', ''),
      async (steps, q) => {
        const replica = createReplica({ accepts: () => true, rewrite: (_, body) => body });
        const { rows } = replica;
        const dataset = createDatasetIndex(rows);
        const pages = createPages(rows);
        replica.watch(dataset);
        let position = 0;
        const versions = new Map<number, number>();
        const entry = () => ({ position: (position += 1), at: TIME, token: String(position) });
        replica.apply({ ...entry(), kind: 'schema', spec: specs[0] as DatasetSpec, schema: 1, actor: 'test' });
        let schema = 1;
        let saved: SavedLookup | undefined;
        let kept = 0;
        for (const each of steps) {
          if (each.kind === 'forget') {
            replica.forget({ time: TIME, versions: each.versions });
            if (replica.keptFrom > kept) saved = undefined; // between a snapshot and the end of its log nothing is forgotten
            kept = replica.keptFrom;
          } else if (each.kind === 'save') {
            const parts = dataset.encodeLookup();
            saved = parts && { bytes: Buffer.concat([...parts]), position };
          } else if (each.kind === 'declare') {
            const spec = specs[each.which] as DatasetSpec;
            replica.apply({ ...entry(), kind: 'schema', spec, schema: (schema += 1), actor: 'test' });
          } else {
            const version = (versions.get(each.id) ?? 0) + 1;
            versions.set(each.id, version);
            const about = { version, created_at: TIME, updated_at: TIME };
            const body =
              each.kind === 'delete' ? null : JSON.stringify({ id: String(each.id), ...each.entity, ...about });
            const change = {
              id: String(each.id),
              version,
              at: TIME,
              body,
              actor: 'test',
              schema,
              commit: `${position}`,
            };
            replica.apply({ ...entry(), kind: 'changes', changes: [change] });
          }
        }
        for (const deadline = Date.now() + 120_000; dataset.built?.declaration.generation !== schema;) {
          if (Date.now() > deadline) throw new Error('the index did not come');
          await new Promise(setImmediate);
        }
        // An index that was saved somewhere on the way knows as much, once it was brought forward.
        const later = createDatasetIndex(rows);
        await later.build(replica.declaration, saved);
        const accept = (row: number) => rows.isAt(row, position);
        expect(later.built?.lookup?.index.query(q, { accept })).toEqual(
          dataset.built.lookup?.index.query(q, { accept }),
        );
        const index = dataset.built;
        const { spec } = index.declaration;
        const leaves = leavesOf(spec);
        for (let version = Math.max(1, replica.keptFrom); version <= position; version += 1) {
          const alone = createRowLookup({ rows, leaves, lookup: spec.lookup ?? never(), madeFor: '' });
          for (let row = 0; row < rows.end(); row += 1) if (rows.isAt(row, version)) alone.index.upsert(row);
          const at = { rows, pages, index };
          expect(await lookUp(at, { text: q, limit: 50, version })).toEqual(alone.index.query(q, { limit: 50 }));
          const filter = requireFilter('size > 1', { dataset: 'places', leaves });
          const large = (row: number) => (JSON.parse(rows.bytes(row).toString()) as { size?: number }).size ?? 0;
          const some = alone.index.query(q, { limit: 50, accept: (row) => large(row) > 1 });
          expect(await lookUp(at, { text: q, limit: 50, version, filter })).toEqual(some);
        }
      },
    ),
    { numRuns: 60 },
  );
});

function never(): never {
  throw new Error('both have a lookup');
}
