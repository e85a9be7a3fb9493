import { expect, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createWriteBatches } from '../../../platform/stores/write-batches.js';

/** Batches whose flushes end as the test says, in turn. */
function createBatches(ends: (Error | undefined)[]) {
  const flushed: (readonly string[])[] = [];
  const release: (() => void)[] = [];
  const write = createWriteBatches<string, string>({
    most: 10,
    mostBytes: 1_000,
    sizeOf: ({ length }) => length,
    async flush(items) {
      const end = ends[flushed.length];
      flushed.push(items);
      await new Promise<void>((done) => release.push(done));
      if (end !== undefined) throw end;
      return items.map((item) => item.toUpperCase());
    },
  });
  return { write, flushed, release: () => release.shift()?.() };
}
const outcome = (result: Promise<string>) => result.catch((err: Error) => err.message);

test('items that come during a flush share the next one', async () => {
  const { write, flushed, release } = createBatches([]);
  const results = Promise.all([write('a'), write('b'), write('c')]);
  release();
  await new Promise(setImmediate);
  release();
  expect(await results).toEqual(['A', 'B', 'C']);
  expect(flushed).toEqual([['a'], ['b', 'c']]);
});

test('a database that does not answer fails those that wait too, and the next item is tried', async () => {
  const { write, flushed, release } = createBatches([new SlipwayError('unavailable', 'away')]);
  const results = Promise.all(['a', 'b', 'c'].map((item) => outcome(write(item))));
  release();
  expect(await results).toEqual(['away', 'away', 'away']);
  expect(flushed).toEqual([['a']]);
  const next = write('d');
  release();
  expect(await next).toBe('D');
});

test('any other failure is that of its own flush', async () => {
  const { write, release } = createBatches([new Error('too large')]);
  const results = Promise.all(['a', 'b'].map((item) => outcome(write(item))));
  release();
  await new Promise(setImmediate);
  release();
  expect(await results).toEqual(['too large', 'B']);
});
