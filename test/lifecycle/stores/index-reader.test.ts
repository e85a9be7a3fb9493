import { expect, test } from 'vitest';
import { encodeIndex, hashId, type IndexRow } from '../../../lifecycle/stores/index-file.js';
import { createIndexReader, indexMetadata } from '../../../lifecycle/stores/index-reader.js';
import type { ObjectInfo } from '../../../platform/stores/objects.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

const row: IndexRow = { kind: 'feedback', model: 'wine', version: '1', key: 'k', records: 1, part: 'p' };
const wanted = (id: string) => ({ id, hash: hashId(id) });

/** One index file with so many ids, `id-0` and on; `reads` holds the size of each read. */
async function fileOf(count: number) {
  const objects = createMemoryObjects();
  const entries = Array.from({ length: count }, (_, at) => ({ hash: hashId(`id-${at}`), at, row: 0 }));
  const { body, entryBytes } = encodeIndex({ entries, rows: [row] });
  await objects.put('index', body, { metadata: indexMetadata(entryBytes) });
  const files: ObjectInfo[] = [];
  for await (const each of objects.list('')) files.push(each);
  const [file] = files;
  if (file === undefined) throw new Error('not stored');
  const reads: number[] = [];
  const reader = createIndexReader({
    async read(...args) {
      const bytes = await objects.read(...args);
      reads.push(bytes.length);
      return bytes;
    },
  });
  return { reader, file, reads };
}

test('a small file is read once, for entries, rows and sums alike', async () => {
  const { reader, file, reads } = await fileOf(10);
  expect(await reader.lookUp(file, [wanted('id-3'), wanted('absent')])).toMatchObject([{ id: 'id-3', at: 3, row: 0 }]);
  expect(await reader.rowsOf(file)).toEqual([row]);
  expect((await reader.trafficOf(file)).feedback).toEqual(new Map([['wine/1', 1]]));
  expect(reads).toEqual([file.sizeBytes]);
});

test('a name that was used again is read again', async () => {
  const { reader, file, reads } = await fileOf(10);
  await reader.rowsOf(file);
  await reader.rowsOf({ ...file, updatedAt: '2999-01-01T00:00:00.000Z' });
  expect(reads).toHaveLength(2);
});

test('of a large file only the part that may hold an id is read, and all of it for many ids', async () => {
  const { reader, file, reads } = await fileOf(20_000);
  expect(await reader.lookUp(file, [wanted('id-7')])).toMatchObject([{ at: 7 }]);
  expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(file.sizeBytes / 10);
  reads.length = 0;
  const many = Array.from({ length: 500 }, (_, at) => wanted(`id-${at}`));
  expect(await reader.lookUp(file, many)).toHaveLength(500);
  expect(reads).toHaveLength(1);
});
