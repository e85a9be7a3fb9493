import { expect, test } from 'vitest';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import type { Revision } from '../../../platform/stores/resource-log.js';
import { createRevisionChain } from '../../../platform/stores/revision-chain.js';

const AT = '2026-01-01T00:00:00.000Z';
const revision = (number: number): Revision => ({
  ...{ _id: `wine/${number}`, id: 'wine', revision: number, change: 'updated', at: AT, commit: `c${number}` },
  entity: null,
});

/** A log with so many revisions, of which the collection holds one. */
async function chainOf({ committed, shown }: { committed: number; shown: number }) {
  const database = createMemoryDatabase();
  const [entities, log] = [database.table<Revision>('entities'), database.table<Revision>('log')];
  for (let number = 1; number <= committed; number += 1) await log.insert(revision(number));
  if (shown > 0) await entities.put({ ...revision(shown), _id: 'wine' });
  const published: number[] = [];
  let beforePut: (() => Promise<unknown>) | undefined;
  const chain = createRevisionChain<AnyResource>({
    log,
    entities: {
      get: (id) => entities.get(id),
      async put(row) {
        const run = beforePut;
        beforePut = undefined;
        await run?.();
        await entities.put(row);
      },
    },
    publish: async (row) => void published.push(row.revision),
    graceMs: 0,
  });
  return {
    ...{ chain, published, log },
    shown: async () => (await entities.get('wine'))?.revision,
    onPut: (run: () => Promise<unknown>) => void (beforePut = run),
  };
}

test('a collection that is up to date is only read', async () => {
  const { chain, published } = await chainOf({ committed: 2, shown: 2 });
  expect((await chain.settle('wine'))?.revision).toBe(2);
  expect(await chain.settle('beer')).toBeUndefined();
  expect(published).toEqual([]);
});

test('revisions that a dead writer left in the log are published in order, then shown', async () => {
  const { chain, published, shown } = await chainOf({ committed: 4, shown: 1 });
  expect((await chain.settle('wine'))?.revision).toBe(4);
  expect(published).toEqual([2, 3, 4]);
  expect(await shown()).toBe(4);
});

test('a commit of another writer during the write of the collection is shown too', async () => {
  const { chain, published, shown, log, onPut } = await chainOf({ committed: 1, shown: 0 });
  onPut(() => log.insert(revision(2)));
  expect((await chain.settle('wine'))?.revision).toBe(2);
  expect(published).toEqual([1, 2]);
  expect(await shown()).toBe(2);
});

test("a writer's own commit is published and shown without a read of the collection", async () => {
  const { chain, published, shown } = await chainOf({ committed: 1, shown: 0 });
  await chain.rollForward(revision(1), 'wine', true);
  expect([published, await shown()]).toEqual([[1], 1]);
});
