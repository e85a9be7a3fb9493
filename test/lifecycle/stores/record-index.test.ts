import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  decodeEntries,
  encodeIndex,
  entriesOf,
  hashId,
  type IndexRow,
  placeOf,
} from '../../../lifecycle/stores/index-file.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { indexMetadata } from '../../../lifecycle/stores/index-reader.js';
import { createRecordIndex, indexPath } from '../../../lifecycle/stores/record-index.js';
import { createRecordIndexUpkeep } from '../../../lifecycle/stores/record-index-upkeep.js';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20);

const row = (part: string, more: Partial<IndexRow> = {}): IndexRow =>
  ({ kind: 'feedback', model: 'wine', version: '1', key: `feedback/${part}`, records: 1, part, ...more }) as IndexRow;

/** One upload with these request ids, recorded at `at`. */
async function upload(objects: ObjectStore, at: number, n: number, ids: readonly string[], rows?: IndexRow[]) {
  const table = rows ?? [row(`part-${at}-${n}`, { records: ids.length })];
  const { body, entryBytes } = encodeIndex({
    entries: ids.map((id) => ({ hash: hashId(id), at, row: 0 })),
    rows: table,
  });
  await objects.put(`${indexPath(at)}_${n}.idx`, body, { metadata: indexMetadata(entryBytes) });
}

async function keys(objects: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of objects.list('')) found.push(key.slice(key.lastIndexOf('/') + 1));
  return found;
}

test.each([0, 1, 7, 5_000, 40_000])('each of %i ids is found where it is expected, and nothing else is', (count) => {
  const ids = Array.from({ length: count }, () => randomUUID());
  const entries = ids.map((id, at) => ({ hash: hashId(id), at, row: at % 3 }));
  const { body, entryBytes } = encodeIndex({ entries, rows: [row('a'), row('b'), row('c')] });
  expect(decodeEntries(body.subarray(0, entryBytes))).toHaveLength(count);
  for (const [at, id] of [...ids.entries()].slice(0, 3_000)) {
    const { start, end, covers } = placeOf(hashId(id), entryBytes);
    const part = body.subarray(start, end);
    expect(covers(part)).toBe(true);
    expect(entriesOf(part, hashId(id))).toMatchObject([{ at, row: at % 3 }]);
    if (count > 10_000) expect(part.length).toBeLessThan(entryBytes / 20);
  }
  expect(entriesOf(body.subarray(0, entryBytes), hashId('absent'))).toEqual([]);
});

test('a part that is too narrow says so', () => {
  const same = Array.from({ length: 5_000 }, (_, at) => ({ hash: hashId('one id'), at, row: 0 }));
  const { body, entryBytes } = encodeIndex({ entries: same, rows: [row('a')] });
  const { start, end, covers } = placeOf(hashId('one id'), entryBytes);
  expect(covers(body.subarray(start, end))).toBe(false);
  expect(entriesOf(body.subarray(0, entryBytes), hashId('one id'))).toHaveLength(5_000);
});

test('an id is found in every upload that names it, oldest first, with a few reads', async () => {
  const memory = createMemoryObjects();
  let bytes = 0;
  const objects: ObjectStore = {
    ...memory,
    read: async (...args) => {
      const read = await memory.read(...args);
      bytes += read.length;
      return read;
    },
  };
  const crowd = Array.from({ length: 20_000 }, () => randomUUID());
  await upload(objects, START, 0, ['again', ...crowd]);
  await upload(objects, START + DAY, 0, ['again', 'once']);
  const index = createRecordIndex({ objects });
  const found = await index.find(['again', 'once', 'never']);
  expect(found.get('again')?.map(({ at }) => at)).toEqual([START, START + DAY]);
  expect(found.get('once')).toMatchObject([{ at: START + DAY, row: { key: `feedback/part-${START + DAY}-0` } }]);
  expect(found.get('never')).toEqual([]);
  expect(bytes).toBeLessThan(100_000); // of 360,000
});

test('uploads are listed from an hour on, with their place in the order', async () => {
  const objects = createMemoryObjects();
  await upload(objects, START, 0, ['a']);
  await upload(objects, START + 3_600_000, 0, ['b']);
  await upload(objects, START + 3_600_000, 1, ['c', 'd']);
  const parts: unknown[] = [];
  for await (const { hour, n, rows } of createRecordIndex({ objects }).parts(START + 3_700_000)) {
    parts.push([hour, n, (await rows()).map(({ records }) => records)]);
  }
  expect(parts).toEqual([
    ['2026112001', 0, [1]],
    ['2026112001', 1, [2]],
  ]);
});

test('past days are put together and old ones go; what is kept is found as before', async () => {
  const objects = createMemoryObjects();
  const uploads = [0, 1, 2].flatMap((day) => [0, 1, 2, 3].map((n) => ({ at: START + day * DAY, n })));
  for (const { at, n } of uploads) await upload(objects, at, n, [`${at}-${n}`]);
  const now = () => new Date(START + 2 * DAY + 9 * 3_600_000);
  const upkeep = createRecordIndexUpkeep({ objects, now });
  expect(await upkeep.compact(new Date(START + DAY))).toBe(8);
  expect(await keys(objects)).toEqual(['merged_0.idx', ...[0, 1, 2, 3].map((n) => `2026112200_${n}.idx`)]);
  expect(await upkeep.compact(new Date(START + DAY))).toBe(0);
  const found = await createRecordIndex({ objects }).find(uploads.map(({ at, n }) => `${at}-${n}`));
  const counts = uploads.map(({ at, n }) => found.get(`${at}-${n}`)?.length);
  expect(counts).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect(found.get(`${START + DAY}-2`)).toMatchObject([{ row: { part: `part-${START + DAY}-2` } }]);
});

test('what dies while it puts files together leaves nothing lost, and the next round nothing double', async () => {
  const objects = createMemoryObjects();
  for (const n of [0, 1, 2]) await upload(objects, START, n, [`id-${n}`, 'shared']);
  const now = () => new Date(START + 3 * DAY);
  const dying = { ...objects, remove: () => Promise.reject(new Error('killed')) };
  const before = new Date(0);
  await expect(createRecordIndexUpkeep({ objects: dying, now }).compact(before)).rejects.toThrow('killed');
  const index = createRecordIndex({ objects });
  const counts = async () => {
    const found = await index.find(['id-0', 'id-1', 'id-2', 'shared']);
    return [...found.values()].map((findings) => findings.length);
  };
  expect(await counts()).toEqual([1, 1, 1, 3]);
  await upload(objects, START + 1_000, 3, ['late']); // and an upload that came late, under a name of its own
  await createRecordIndexUpkeep({ objects, now }).compact(before);
  expect(await keys(objects)).toEqual(['merged_0.idx', 'merged_1.idx']);
  expect(await counts()).toEqual([1, 1, 1, 3]);
  expect((await index.traffic()).feedback).toEqual(new Map([['wine/1', 7]]));
});

test('a file that is put together with others while it is looked for is found all the same', async () => {
  const objects = createMemoryObjects();
  for (const n of [0, 1]) await upload(objects, START, n, [`id-${n}`]);
  let compacted = false;
  const moving: ObjectStore = {
    ...objects,
    read: async (...args) => {
      if (!compacted) {
        compacted = true;
        await createRecordIndexUpkeep({ objects, now: () => new Date(START + 3 * DAY) }).compact(new Date(0));
      }
      return objects.read(...args);
    },
  };
  expect((await createRecordIndex({ objects: moving }).find(['id-1'])).get('id-1')).toHaveLength(1);
});

test('traffic counts calls per revision and feedback per model', async () => {
  const objects = createMemoryObjects();
  const call = { kind: 'call', model: 'wine', version: '1', deployment: 'wine', deploymentUid: 'u' };
  const rows = [
    { ...call, generation: 1, key: 'a', records: 3, part: 'p' },
    { ...call, generation: 2, key: 'a', records: 4, part: 'p' },
    row('p', { model: 'a/b', version: '%', records: 5 }),
  ] as IndexRow[];
  for (const n of [0, 1]) await upload(objects, START, n, ['x'], rows);
  const { calls, feedback } = await createRecordIndex({ objects }).traffic();
  expect([...calls]).toEqual([
    ['u/1', 6],
    ['u/2', 8],
  ]);
  expect([...feedback]).toEqual([['a%2Fb/%25', 10]]);
});
