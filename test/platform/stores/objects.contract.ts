import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import type { ObjectInfo, ObjectStore } from '../../../platform/stores/objects.js';

/** The contract of every object store. */
export function objectsContract(open: () => Promise<ObjectStore>): void {
  let objects: ObjectStore;
  beforeAll(async () => {
    objects = await open();
  });
  const key = (name = 'object') => `${randomUUID()}/${name}`;
  const all = async (prefix: string) => {
    const found: ObjectInfo[] = [];
    for await (const info of objects.list(prefix)) found.push(info);
    return found;
  };

  test('text, bytes and streams come back as they went in', async () => {
    const bytes = randomBytes(1_000);
    for (const body of ['größe\n', bytes, Readable.from([bytes, bytes])]) {
      const at = key();
      const expected = body instanceof Readable ? Buffer.concat([bytes, bytes]) : Buffer.from(body);
      expect(await objects.put(at, body)).toEqual({ created: true });
      expect(await objects.read(at)).toEqual(expected);
      expect(await buffer(await objects.open(at))).toEqual(expected);
    }
  });

  test('an empty object exists', async () => {
    const at = key();
    await objects.put(at, '');
    expect(await objects.read(at)).toHaveLength(0);
    expect((await objects.head(at))?.sizeBytes).toBe(0);
  });

  test('20 MB go through as a stream', async () => {
    const at = key('big.bin');
    const part = randomBytes(1_000_000);
    const sent = createHash('sha256');
    const body = Readable.from(
      (function* () {
        for (let count = 0; count < 20; count++) {
          sent.update(part);
          yield part;
        }
      })(),
      { objectMode: false },
    );
    await objects.put(at, body);
    const received = createHash('sha256');
    for await (const chunk of await objects.open(at)) received.update(chunk as Buffer);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    expect((await objects.head(at))?.sizeBytes).toBe(20_000_000);
  });

  test.each([10, 12_000_000])('a body that breaks off after %i bytes stores nothing', async (sizeBytes) => {
    const at = key();
    const broken = Readable.from(
      (async function* () {
        for (let sent = 0; sent < sizeBytes; sent += 1_000_000) yield Buffer.alloc(Math.min(sizeBytes, 1_000_000));
        throw new Error('the source broke');
      })(),
      { objectMode: false },
    );
    await expect(objects.put(at, broken)).rejects.toThrow('the source broke');
    expect(await objects.head(at)).toBeUndefined();
  });

  test('head tells type, size, metadata and time', async () => {
    const at = key();
    await objects.put(at, 'abc', { contentType: 'text/plain', metadata: { at: '2024-01-01T00:00:00Z', lines: '3' } });
    const info = await objects.head(at);
    expect(info).toMatchObject({
      key: at,
      sizeBytes: 3,
      contentType: 'text/plain',
      metadata: { at: '2024-01-01T00:00:00Z', lines: '3' },
    });
    expect(Math.abs(Date.now() - Date.parse(info?.updatedAt ?? ''))).toBeLessThan(60_000);
  });

  test('a put replaces; ifAbsent leaves what exists, for text and for streams', async () => {
    const at = key();
    expect(await objects.put(at, 'first', { ifAbsent: true })).toEqual({ created: true });
    expect(await objects.put(at, 'second', { ifAbsent: true })).toEqual({ created: false });
    expect(await objects.put(at, Readable.from([Buffer.from('third')]), { ifAbsent: true })).toEqual({
      created: false,
    });
    expect(await objects.put(at, Buffer.alloc(9_000_000), { ifAbsent: true })).toEqual({ created: false });
    expect((await objects.read(at)).toString()).toBe('first');
    await objects.put(at, 'fourth');
    expect((await objects.read(at)).toString()).toBe('fourth');
  });

  test('of many racing ifAbsent exactly one creates, and its bytes are there', async () => {
    const at = key();
    const bodies = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
    const results = await Promise.all(bodies.map((body) => objects.put(at, body, { ifAbsent: true })));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    const winner = results.findIndex(({ created }) => created);
    expect((await objects.read(at)).toString()).toBe(bodies[winner]);
  });

  test('what is missing is not_found, and undefined for head', async () => {
    const at = key();
    await expect(objects.read(at)).rejects.toMatchObject({ code: 'not_found' });
    await expect(objects.open(at)).rejects.toMatchObject({ code: 'not_found' });
    expect(await objects.head(at)).toBeUndefined();
    await objects.remove(at);
  });

  test('list is ordered by key and sees the whole prefix only', async () => {
    const folder = key('');
    for (const name of ['b', 'a/2', 'a.x', 'a-1', 'a/1', 'ä c%20']) await objects.put(`${folder}${name}`, name);
    const names = (await all(folder)).map((info) => info.key.slice(folder.length));
    expect(names).toEqual(['a-1', 'a.x', 'a/1', 'a/2', 'b', 'ä c%20']);
    expect((await all(`${folder}a/`)).map(({ sizeBytes }) => sizeBytes)).toEqual([3, 3]);
    expect(await all(`${folder}nothing`)).toEqual([]);
  });

  test('a list begins and ends at the given keys', async () => {
    const folder = key('');
    const names = Array.from({ length: 12 }, (_, index) => `2026/${String(index).padStart(2, '0')}`);
    for (const name of names) await objects.put(`${folder}${name}`, '');
    const part = async (from?: string, to?: string) => {
      const range = { from: from && `${folder}${from}`, to: to && `${folder}${to}` };
      const found: string[] = [];
      for await (const info of objects.list(`${folder}2026/`, range)) found.push(info.key.slice(folder.length));
      return found;
    };
    expect(await part('2026/03', '2026/05')).toEqual(['2026/03', '2026/04']);
    expect(await part('2026/095')).toEqual(['2026/10', '2026/11']);
    expect(await part(undefined, '2026/01')).toEqual(['2026/00']);
    expect(await part('2027')).toEqual([]);
  });

  test('a list with details tells content type and metadata', async () => {
    const folder = key('');
    const metadata = { 'slipway-retention-days': '30' };
    await objects.put(`${folder}a`, 'a', { contentType: 'text/plain', metadata });
    const found: ObjectInfo[] = [];
    for await (const info of objects.list(folder, { details: true })) found.push(info);
    expect(found).toMatchObject([{ key: `${folder}a`, contentType: 'text/plain', metadata }]);
  });

  test('equal bytes have equal checksums, sent at once and in parts', async () => {
    const [one, other] = [key(), key()];
    for (const sizeBytes of [10, 9_000_000]) {
      for (const at of [one, other]) await objects.put(at, Buffer.alloc(sizeBytes, 7));
      expect((await objects.head(one))?.checksum).toBe((await objects.head(other))?.checksum);
    }
  });

  test('a part of an object is read alone; past its end there is nothing', async () => {
    const at = key();
    await objects.put(at, '0123456789');
    const part = async (start: number, end: number) => (await objects.read(at, { start, end })).toString();
    expect(await part(0, 3)).toBe('012');
    expect(await part(8, 20)).toBe('89');
    expect(await part(4, 4)).toBe('');
    expect(await part(10, 20)).toBe('');
  });

  test('what was removed is gone', async () => {
    const at = key();
    await objects.put(at, 'x');
    await objects.remove(at);
    expect(await objects.head(at)).toBeUndefined();
  });
}
