import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createPartitions } from '../../../lifecycle/stores/partitions.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});
async function open(expectedBytes: number, partBytes = 100) {
  const folder = await mkdtemp(join(tmpdir(), 'partitions-'));
  folders.push(folder);
  const partitions = createPartitions({ folder, expectedBytes, partBytes });
  const read = async () => {
    const found: { records: unknown[]; noted: number }[] = [];
    for await (const part of partitions.parts()) {
      const records: unknown[] = [];
      for await (const record of part.records()) records.push(record);
      found.push({ records, noted: await part.noted() });
    }
    return found;
  };
  return { partitions, read };
}
const hashOf = (id: string): Buffer => createHash('sha256').update(id).digest().subarray(0, 8);
const first = (byte: number): Buffer => Buffer.from([byte, 0, 0, 0, 0, 0, 0, 1]);

test.each([
  [0, 1],
  [100, 1],
  [101, 2],
  [400, 4],
  [1e9, 1_024],
])('%i expected bytes in parts of 100 are %i parts', async (expectedBytes, count) => {
  const { partitions } = await open(expectedBytes);
  let parts = 0;
  for await (const _ of partitions.parts()) parts += 1;
  expect(parts).toBe(count);
});

test('parts come in the order of the hashes, the records of a part as they were added', async () => {
  const { partitions, read } = await open(400);
  for (const [byte, record] of [
    [0xff, 'd'],
    [0x00, 'a'],
    [0x40, 'b'],
    [0x3f, 'a2'],
    [0x80, 'c'],
  ] as const) {
    await partitions.add(first(byte), { record });
  }
  expect((await read()).map(({ records }) => records)).toEqual([
    [{ record: 'a' }, { record: 'a2' }],
    [{ record: 'b' }],
    [{ record: 'c' }],
    [{ record: 'd' }],
  ]);
});

test('a part counts each noted hash once', async () => {
  const { partitions, read } = await open(200);
  for (const byte of [0x01, 0x01, 0x02, 0xf0]) await partitions.note(first(byte));
  expect((await read()).map(({ noted }) => noted)).toEqual([2, 1]);
});

test('records larger than a buffer and with any text are read back', async () => {
  const { partitions, read } = await open(0);
  const records = [{ text: 'x'.repeat(100_000) }, { text: 'größe 🍷 \n\u2028' }, { text: '', none: null, list: [] }];
  for (const record of records) await partitions.add(hashOf('a'), record);
  expect(await read()).toEqual([{ records, noted: 0 }]);
});

test('a part can be read a second time', async () => {
  const { partitions, read } = await open(0);
  await partitions.add(hashOf('a'), { n: 1 });
  expect(await read()).toEqual(await read());
});
