import { expect, test } from 'vitest';
import { listRecords } from '../../../lifecycle/stores/inference-records.js';
import { hourPath, versionFolder } from '../../../lifecycle/stores/record-path.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

const at = (time: string): number => Date.parse(`2026-02-${time}.000Z`);
const HOUR = at('11T09:00:00');

async function list(files: [string, string, number, number][], query: object = {}, prefix = 'records') {
  const objects = createMemoryObjects();
  for (const [name, version, time, n] of files) {
    await objects.put(`records/${versionFolder('feedback', name, version)}/${hourPath(time)}_${n}.jsonl`, 'x');
  }
  const found: string[] = [];
  const range = { from: HOUR, to: HOUR + 3_600_000 };
  const all = { tag: 'feedback' as const, model: { name: 'wine' }, ...range, ...query };
  for await (const { key } of listRecords(objects, prefix, all)) found.push(key.replace(/^.*feedback\//, ''));
  return found.map((key) => key.replace(/\/year=.*day=/, ' ').replace('.jsonl', ''));
}

test('files of an hour come in the order in which they were written, not in that of their names', async () => {
  const files = [0, 10, 2, 1].map((n): [string, string, number, number] => ['wine', '3', HOUR, n]);
  expect(await list(files)).toEqual([0, 1, 2, 10].map((n) => `wine/3 11/2026021109_${n}`));
});

test('only files of the model, its version and the time are listed; hours are taken whole', async () => {
  const files: [string, string, number, number][] = [
    ['wine', '3', HOUR - 1, 0],
    ['wine', '3', HOUR + 3_599_999, 0],
    ['wine', '3', HOUR + 3_600_000, 0],
    ['wine', '4', HOUR, 0],
    ['winery', '3', HOUR, 0],
  ];
  expect(await list(files)).toEqual(['wine/3 11/2026021109_0', 'wine/4 11/2026021109_0']);
  expect(await list(files, { model: { name: 'wine', version: '4' } })).toEqual(['wine/4 11/2026021109_0']);
  expect(await list(files, { from: HOUR - 1, to: HOUR + 1 })).toHaveLength(3);
  expect(await list(files, { model: { name: 'wine', version: '3' }, to: HOUR + 3_600_001 })).toHaveLength(2);
});

test('versions come one after the other, each in the order of time', async () => {
  const times = [at('10T23:00:00'), at('11T00:00:00'), HOUR];
  const files = ['b', 'a', 'a b'].flatMap((version) =>
    times.map((time): [string, string, number, number] => ['wine', version, time, 0]),
  );
  const found = await list(files, { from: times[0] });
  expect(found.map((key) => key.split(' ')[0])).toEqual(
    ['wine/a%20b', 'wine/a', 'wine/b'].flatMap((folder) => times.map(() => folder)),
  );
  expect(found.slice(0, 3).map((key) => key.slice(-12))).toEqual(['2026021023_0', '2026021100_0', '2026021109_0']);
});

test.each([
  ['an empty bucket', [], {}],
  ['another tag', [['wine', '3', HOUR, 0]], { tag: 'request_response' }],
  ['a time without files', [['wine', '3', HOUR, 0]], { from: HOUR + 7_200_000, to: HOUR + 9_000_000 }],
] as [string, [string, string, number, number][], object][])('%s has no files', async (_, files, query) => {
  expect(await list(files, query)).toEqual([]);
});
