import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { type DatasetImport, NO_COUNTS } from '../../../reference/dataset/import.js';
import { createChangeRecords } from '../../../reference/stores/change-records.js';
import { createImports } from '../../../reference/stores/imports.js';
import { changeOf } from '../dataset/change-logs.js';

const created = (id: string): DatasetImport => ({
  ...{ id, dataset: 'words', actor: 'test', state: 'uploading', created_at: '2026-01-01T00:00:00.000Z' },
  options: { format: 'ndjson', mode: 'upsert', dry_run: false, on_error: 'stop', max_errors: 1, announce: 'as_you_go' },
  ...{ counts: NO_COUNTS, errors: [], cursor: { offset: 0, line: 0 } },
});
const open = () => {
  const objects = createMemoryObjects();
  return { objects, imports: createImports({ database: createMemoryDatabase(), objects }) };
};
async function bytesOf(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

test('an upload in parts is read as one, from and to any byte', async () => {
  const { imports } = open();
  const { below } = createDraw(3);
  const whole = Buffer.from(Array.from({ length: 500 }, () => below(256)));
  for (let at = 0; at < whole.length;) {
    const part = whole.subarray(at, at + 1 + below(90));
    at = await imports.append('i', at, Readable.from([part.subarray(0, 7), part.subarray(7)]));
    expect(await imports.uploaded('i')).toBe(at);
  }
  for (let round = 0; round < 40; round += 1) {
    const [start = 0, end = 0] = [below(501), below(501)].sort((one, other) => one - other);
    expect((await bytesOf(imports.read('i', { start, end }))).equals(whole.subarray(start, end))).toBe(true);
  }
  expect((await bytesOf(imports.read('i', { start: 0 }))).equals(whole)).toBe(true);
});

test('a part that begins at another offset is refused with the one where the upload goes on', async () => {
  const { imports } = open();
  await imports.append('i', 0, Readable.from([Buffer.from('abc')]));
  for (const offset of [0, 2, 4]) {
    await expect(imports.append('i', offset, Readable.from([Buffer.from('x')]))).rejects.toMatchObject({
      code: 'import.offset',
      members: { offset: 3 },
    });
  }
  expect(await imports.uploaded('i')).toBe(3);
});

test('a part larger than a piece is kept in pieces; of one that breaks off whole pieces are kept', async () => {
  const { imports, objects } = open();
  const piece = 8 * 2 ** 20;
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(piece + 5, 1);
    throw new Error('connection lost');
  }
  await expect(imports.append('i', 0, Readable.from(broken()))).rejects.toMatchObject({ code: 'body.malformed' });
  expect(await imports.uploaded('i')).toBe(piece);
  expect(await imports.append('i', piece, Readable.from([Buffer.from('end')]))).toBe(piece + 3);
  expect((await bytesOf(imports.read('i', { start: piece - 1 }))).toString('latin1')).toBe('\u0001end');
  await imports.discard('i');
  expect(await imports.uploaded('i')).toBe(0);
  const left: string[] = [];
  for await (const { key } of objects.list('imports/')) left.push(key);
  expect(left).toEqual([]);
});

test('an upload that is shorter than its import says is not read', async () => {
  const { imports } = open();
  await imports.append('i', 0, Readable.from([Buffer.from('abc')]));
  await expect(bytesOf(imports.read('i', { start: 0, end: 4 }))).rejects.toMatchObject({ code: 'internal' });
  await expect(bytesOf(imports.read('nothing', { start: 0, end: 1 }))).rejects.toMatchObject({ code: 'internal' });
  expect(await bytesOf(imports.read('nothing', { start: 0 }))).toHaveLength(0);
});

test('uploads of several imports stay apart', async () => {
  const { imports } = open();
  await imports.append('i', 0, Readable.from([Buffer.from('one')]));
  await imports.append('i2', 0, Readable.from([Buffer.from('other')]));
  expect((await bytesOf(imports.read('i', { start: 0 }))).toString()).toBe('one');
  expect([await imports.lastUploadAt('i'), await imports.lastUploadAt('i3')]).toEqual([expect.any(String), undefined]);
});

test('an import is open from its beginning until it is settled', async () => {
  const { imports } = open();
  for (const id of ['a', 'b']) await imports.begin(created(id));
  await imports.append('a', 0, Readable.from([Buffer.from('x')]));
  expect((await imports.open()).sort()).toEqual(['a', 'b']);
  await imports.put({ ...created('a'), state: 'succeeded' });
  await imports.settled('a');
  expect([await imports.open(), await imports.uploaded('a'), (await imports.get('a')).state]).toEqual([
    ['b'],
    0,
    'succeeded',
  ]);
  await expect(imports.get('c')).rejects.toMatchObject({ code: 'import.not_found' });
});

test('of many writers of one version the record of one is stored, and each gets that record', async () => {
  const database = createMemoryDatabase();
  const writers = Array.from({ length: 4 }, () => createChangeRecords({ database, dataset: 'words' }));
  const drafts = writers.flatMap((writer, at) =>
    ['1', '2', '3'].map((id) => ({ writer, change: { ...changeOf(id, 1, `w${at}`), commit: `${at}/${id}` } })),
  );
  const stored = await Promise.all(drafts.map(({ writer, change }) => writer.insert(change)));
  for (const id of ['1', '2', '3']) {
    const commits = new Set(stored.filter((change) => change.id === id).map(({ commit }) => commit));
    expect(commits.size).toBe(1);
    expect((await writers[0]?.get(id, 1))?.commit).toBe([...commits][0]);
  }
  expect(await writers[0]?.get('1', 2)).toBeUndefined();
  expect(await createChangeRecords({ database, dataset: 'others' }).get('1', 1)).toBeUndefined();
});
