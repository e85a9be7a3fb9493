import { expect, test } from 'vitest';
import { createKnownCalls } from '../../gateway/known-calls.js';
import type { Findings } from '../../lifecycle/stores/findings.js';

const call = (requestId: string) => ({ requestId, modelName: 'wine', modelVersion: '1' });
const none = (ids: readonly string[]): Findings => new Map(ids.map((id) => [id, []]));

test('ids that wait for the index are looked up together, and one that it fails for holds up no other', async () => {
  const lookups: { ids: readonly string[]; end: (error?: Error) => void }[] = [];
  const index = {
    find: (ids: readonly string[]) =>
      new Promise<Findings>((resolve, reject) => {
        lookups.push({ ids, end: (error) => (error === undefined ? resolve(none(ids)) : reject(error)) });
      }),
  };
  const known = createKnownCalls({ index, patienceMs: 60_000 });
  const first = known.doubt(call('a'));
  await expect.poll(() => lookups.length).toBe(1);
  const others = [known.doubt(call('b')), known.doubt(call('c')), known.doubt(call('b'))];
  lookups[0]?.end(new Error('object storage is away'));
  expect(await first).toBeUndefined();
  await expect.poll(() => lookups.length).toBe(2);
  expect(lookups[1]?.ids).toEqual(['b', 'c']);
  lookups[1]?.end();
  expect(await Promise.all(others)).toEqual(['b', 'c', 'b'].map((id) => expect.stringContaining(`"${id}" is known`)));
});

test('an index that hangs keeps no feedback waiting, and holds a bounded number of ids', async () => {
  const asked: number[] = [];
  const index = { find: (ids: readonly string[]) => (asked.push(ids.length), new Promise<Findings>(() => {})) };
  const known = createKnownCalls({ index, patienceMs: 1 });
  expect(await Promise.all(Array.from({ length: 3_000 }, (_, at) => known.doubt(call(`${at}`))))).toEqual(
    Array.from({ length: 3_000 }, () => undefined),
  );
  expect(asked.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1_000);
});
