import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packFolder, tarFolder } from '../../../activities/shared/archive.js';
import { unpackFile, unpackInto } from '../../../activities/shared/unpack.js';
import { withScratchFolder } from '../../../activities/training/workspace.js';
import { type TarEntry, tarOf, writeBytes, zipOf, type ZipEntry } from './archives.js';

const SMALL = { entries: 3, bytes: 1_000, ratio: 200, freeBytes: 1_000_000 };

async function makeTree(folder: string): Promise<void> {
  await mkdir(join(folder, 'b', 'empty'), { recursive: true });
  await writeFile(join(folder, 'b', 'run.sh'), '#!/bin/sh\n');
  await chmod(join(folder, 'b', 'run.sh'), 0o4750);
  await writeFile(join(folder, 'a.txt'), 'alpha');
  await symlink('../a.txt', join(folder, 'b', 'link'));
}

test('equal folders give equal archives whatever their times and the order of their making', () =>
  withScratchFolder(async (scratch) => {
    const [one, two] = [join(scratch, 'one'), join(scratch, 'two')];
    await makeTree(one);
    await makeTree(two);
    await utimes(join(two, 'a.txt'), 1, 1);
    await chmod(join(two, 'a.txt'), 0o600);
    const first = await packFolder(one, join(scratch, '1.tgz'));
    expect(await packFolder(two, join(scratch, '2.tgz'))).toEqual(first);
    await writeFile(join(two, 'a.txt'), 'alphA');
    expect((await packFolder(two, join(scratch, '3.tgz'))).digest).not.toBe(first.digest);
  }));

test('a folder comes back with its links, its empty folders and no more rights than it needs', () =>
  withScratchFolder(async (scratch) => {
    const [from, to] = [join(scratch, 'from'), join(scratch, 'to')];
    await makeTree(from);
    await packFolder(from, join(scratch, 'packed.tgz'), { prefix: './src' });
    await unpackInto(createReadStream(join(scratch, 'packed.tgz')), to, { strip: 1 });
    expect((await readdir(to, { recursive: true })).sort()).toEqual(['a.txt', 'b', 'b/empty', 'b/link', 'b/run.sh']);
    expect(await readlink(join(to, 'b', 'link'))).toBe('../a.txt');
    expect((await lstat(join(to, 'b', 'run.sh'))).mode & 0o7777).toBe(0o755);
    expect((await lstat(join(to, 'a.txt'))).mode & 0o7777).toBe(0o644);
  }));

test('a folder that cannot be written to ends the packing with the reason', () =>
  withScratchFolder(async (scratch) => {
    await makeTree(join(scratch, 'from'));
    await expect(packFolder(join(scratch, 'from'), join(scratch, 'no', 'such', 'file'))).rejects.toThrow('ENOENT');
    await expect(packFolder(join(scratch, 'nothing'), join(scratch, 'file'))).rejects.toThrow('ENOENT');
  }));

test('a reader may stop early, and a folder that is not there is its error', () =>
  withScratchFolder(async (scratch) => {
    await makeTree(join(scratch, 'from'));
    await writeFile(join(scratch, 'from', 'a.txt'), Buffer.alloc(2 ** 20));
    for await (const chunk of tarFolder(join(scratch, 'from'))) {
      expect(chunk).toBeInstanceOf(Buffer);
      break;
    }
    await expect(buffer(tarFolder(join(scratch, 'nothing')))).rejects.toThrow('ENOENT');
  }));

test('a hard link inside becomes a copy', () =>
  withScratchFolder(async (scratch) => {
    const bytes = await tarOf([
      { name: 'root/a', content: 'same' },
      { name: 'root/b', type: 'link', linkname: 'root/a' },
    ]);
    await unpackInto(Readable.from([bytes]), scratch, { strip: 1 });
    expect(await readFile(join(scratch, 'b'), 'utf8')).toBe('same');
    expect((await lstat(join(scratch, 'b'))).nlink).toBe(1);
  }));

const link = (name: string, linkname: string): TarEntry => ({ name, type: 'symlink', linkname });
const HOSTILE_TARS: [string, TarEntry[], RegExp][] = [
  ['an absolute path', [{ name: '/etc/cron.d/x', content: 'x' }], /absolute/],
  ['a path that climbs', [{ name: 'a/../../x', content: 'x' }], /leads out/],
  ['a link to an absolute path', [link('l', '/etc/passwd')], /leads out/],
  ['a link that climbs', [link('d/l', '../../x')], /leads out/],
  ['a link to the parent', [link('l', '..')], /leads out/],
  ['a link that climbs behind another link', [link('a/b/l', '../..'), link('x', 'a/b/l/../secret')], /leads out/],
  ['a file below a link', [link('l', '.'), { name: 'l/x', content: 'x' }], /below a symbolic link/],
  ['a hard link to a file outside', [{ name: 'h', type: 'link', linkname: '../x' }], /leads out/],
  ['a hard link to nothing', [{ name: 'h', type: 'link', linkname: 'x' }], /no file of it/],
  ['a hard link to a link', [link('l', 'x'), { name: 'h', type: 'link', linkname: 'l' }], /no file of it/],
  [
    'the same name twice',
    [
      { name: 'a', content: '1' },
      { name: './a', content: '2' },
    ],
    /duplicate entry/,
  ],
  ['a link over a file', [{ name: 'a', content: '1' }, link('a', 'b')], /duplicate entry/],
  [
    'a file where a folder is',
    [
      { name: 'a/b', content: '1' },
      { name: 'a', content: '2' },
    ],
    /cannot stand/,
  ],
  [
    'a folder where a file is',
    [
      { name: 'a', content: '1' },
      { name: 'a/b', content: '2' },
    ],
    /cannot stand/,
  ],
  [
    'a folder entry over a file',
    [
      { name: 'a', content: '1' },
      { name: 'a', type: 'directory' },
    ],
    /duplicate entry/,
  ],
  ['a name that no file can have', [{ name: 'n'.repeat(300), content: '1' }], /cannot stand/],
  ['a character device', [{ name: 'null', type: 'character-device' }], /character-device/],
  ['a block device', [{ name: 'sda', type: 'block-device' }], /block-device/],
  ['a fifo', [{ name: 'pipe', type: 'fifo' }], /fifo/],
  ['too many entries', ['a', 'b', 'c', 'd'].map((name) => ({ name, content: '' })), /more than 3 entries/],
  [
    'too many bytes',
    [
      { name: 'a', content: 'x'.repeat(600) },
      { name: 'b', content: 'x'.repeat(600) },
    ],
    /1000 bytes/,
  ],
];

test.each(HOSTILE_TARS)('a tar with %s is refused', (_what, entries, why) =>
  withScratchFolder(async (scratch) => {
    await writeFile(join(scratch, 'secret'), 'mine');
    const folder = join(scratch, 'inner', 'root');
    const bytes = await tarOf(entries);
    const refusal = { code: 'validation_failed', message: expect.stringMatching(why) };
    await expect(unpackInto(Readable.from([bytes]), folder, { limits: SMALL })).rejects.toMatchObject(refusal);
    await expect(unpackInto(Readable.from([gzipSync(bytes)]), `${folder}2`, { limits: SMALL })).rejects.toMatchObject(
      refusal,
    );
    expect((await readdir(scratch)).filter((name) => name !== 'inner')).toEqual(['secret']);
  }),
);

test('setuid bits do not survive', () =>
  withScratchFolder(async (scratch) => {
    await unpackInto(Readable.from([await tarOf([{ name: 'x', mode: 0o6755, content: 'x' }])]), scratch);
    expect((await lstat(join(scratch, 'x'))).mode & 0o7777).toBe(0o755);
  }));

test('an archive that unpacks to far more than its size is stopped while it unpacks', () =>
  withScratchFolder(async (scratch) => {
    const bomb = gzipSync(await tarOf([{ name: 'zeros', content: Buffer.alloc(20_000_000) }]));
    const limits = { ...SMALL, bytes: 10 ** 9, freeBytes: 1_000_000 };
    await expect(unpackInto(Readable.from([bomb]), scratch, { limits })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/200 times/),
    });
    await unpackInto(Readable.from([bomb]), join(scratch, 'fine'), { limits: { ...limits, freeBytes: 10 ** 8 } });
  }));

test('a refused archive is not read to its end', () =>
  withScratchFolder(async (scratch) => {
    const bytes = await tarOf([{ name: '/absolute', content: 'x' }]);
    let ended = false;
    const endless = Readable.from(
      (async function* () {
        try {
          yield bytes.subarray(0, 1_024);
          for (;;) yield Buffer.alloc(1_024);
        } finally {
          ended = true;
        }
      })(),
    );
    await expect(unpackInto(endless, scratch)).rejects.toThrow('absolute');
    expect(ended).toBe(true);
  }));

test('a broken source ends the unpacking with its own error', () =>
  withScratchFolder(async (scratch) => {
    const bytes = gzipSync(await tarOf([{ name: 'a', content: Buffer.alloc(100_000, 'x') }]));
    const broken = (async function* () {
      yield bytes.subarray(0, 100);
      throw new Error('the line is dead');
    })();
    await expect(unpackInto(Readable.from(broken), scratch)).rejects.toThrow('the line is dead');
    await expect(unpackInto(Readable.from([bytes.subarray(0, 100)]), scratch)).rejects.toThrow(
      'unexpected end of file',
    );
    await expect(unpackInto(Readable.from([Buffer.from('hello')]), scratch)).rejects.toThrow('no tar archive');
  }));

test('tar, gzip and zip are recognized by their content', () =>
  withScratchFolder(async (scratch) => {
    const plain = await tarOf([{ name: 'a.txt', content: 'alpha' }]);
    const files = { tar: plain, gzip: gzipSync(plain), zip: zipOf([{ name: 'a.txt', content: 'alpha' }]) };
    for (const [format, bytes] of Object.entries(files)) {
      await unpackFile(await writeBytes(join(scratch, `${format}.zip`), bytes), join(scratch, format));
      expect(await readFile(join(scratch, format, 'a.txt'), 'utf8')).toBe('alpha');
    }
  }));

test('a zip comes back with its folders, inner links and programs', () =>
  withScratchFolder(async (scratch) => {
    const bytes = zipOf([
      { name: 'bin/', mode: 0o040755 },
      { name: 'bin/run', content: 'go', mode: 0o104755 },
      { name: 'bin/link', content: 'run', mode: 0o120777 },
      { name: 'from-dos.txt', content: 'x', mode: 0 },
    ]);
    const to = join(scratch, 'to');
    await unpackFile(await writeBytes(join(scratch, 'zip'), bytes), to);
    expect((await lstat(join(to, 'bin', 'run'))).mode & 0o7777).toBe(0o755);
    expect(await readlink(join(to, 'bin', 'link'))).toBe('run');
    expect((await lstat(join(to, 'from-dos.txt'))).mode & 0o7777).toBe(0o644);
  }));

const HOSTILE_ZIPS: [string, ZipEntry[], RegExp][] = [
  ['an absolute path', [{ name: '/etc/x' }], /absolute/],
  ['a path that climbs', [{ name: 'a/../../x' }], /refused/],
  ['a path with backslashes', [{ name: '..\\x' }], /refused/],
  ['a link to an absolute path', [{ name: 'l', content: '/etc', mode: 0o120777 }], /leads out/],
  ['a link that climbs', [{ name: 'l', content: '../x', mode: 0o120777 }], /leads out/],
  ['a file below a link', [{ name: 'l', content: '.', mode: 0o120777 }, { name: 'l/x' }], /below a symbolic link/],
  ['a link as long as a book', [{ name: 'l', content: 'x'.repeat(5_000), mode: 0o120777 }], /too long/],
  ['the same name twice', [{ name: 'a' }, { name: 'a' }], /duplicate entry/],
  ['a device', [{ name: 'null', mode: 0o020666 }], /no plain file/],
  ['a fifo', [{ name: 'pipe', mode: 0o010644 }], /no plain file/],
  ['an encrypted file', [{ name: 'a', content: 'x', flags: 1 }], /refused/],
  ['a size that is a lie', [{ name: 'a', content: 'x', claimedBytes: 500 }], /refused/],
  ['too many entries', ['a', 'b', 'c', 'd'].map((name) => ({ name })), /more than 3 entries/],
  ['too many bytes', [{ name: 'a', content: 'x'.repeat(1_001) }], /1000 bytes/],
];

test.each(HOSTILE_ZIPS)('a zip with %s is refused', (_what, entries, why) =>
  withScratchFolder(async (scratch) => {
    const file = await writeBytes(join(scratch, 'zip'), zipOf(entries));
    await expect(
      unpackFile(file, join(scratch, 'inner', 'root'), { limits: { ...SMALL, bytes: 1_000 } }),
    ).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(why),
    });
    expect((await readdir(scratch)).sort().filter((name) => name !== 'inner')).toEqual(['zip']);
  }),
);

test('a zip that unpacks to far more than its size, and one that is cut off, are refused', () =>
  withScratchFolder(async (scratch) => {
    const whole = zipOf([{ name: 'a', content: 'x'.repeat(900) }]);
    const file = await writeBytes(join(scratch, 'whole'), whole);
    const limits = { ...SMALL, bytes: 10 ** 6, freeBytes: 10, ratio: 0.5 };
    await expect(unpackFile(file, join(scratch, 'a'), { limits })).rejects.toThrow('0.5 times');
    const cut = await writeBytes(join(scratch, 'cut'), whole.subarray(0, 500));
    await expect(unpackFile(cut, join(scratch, 'b'))).rejects.toMatchObject({ code: 'validation_failed' });
  }));
