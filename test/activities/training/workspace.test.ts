import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { prepareSource } from '../../../activities/training/training-source.js';
import { unpackInto } from '../../../activities/shared/unpack.js';
import {
  downloadObjects,
  placeData,
  storeWorkspace,
  withScratchFolder,
} from '../../../activities/training/workspace.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { type BucketRules, objectLocation } from '../../../lifecycle/kinds/object-location.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { below } from '../../../lifecycle/stores/connection-objects.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { newConnection, newTraining } from '../shared/resources.js';

const refused = (pattern: RegExp) => ({
  code: 'run_failed',
  retryable: false,
  detail: expect.objectContaining({ reason: 'DataCopyFailed' }),
  message: expect.stringMatching(pattern),
});

async function write(folder: string, files: Record<string, string>): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : []))
    .sort();
}

/** Source, data and where the data goes; what the source is afterwards. */
const PLACED: [string, Record<string, string>, Record<string, string>, string, string[]][] = [
  ['a file onto a name is renamed', {}, { 'a.csv': '1' }, 'data/wine.csv', ['data/wine.csv']],
  ['a file onto a file replaces it', { 'wine.csv': '0' }, { 'a.csv': '1' }, 'wine.csv', ['wine.csv']],
  ['a file onto a name with a slash goes into it', {}, { 'a.csv': '1' }, 'data/', ['data/a.csv']],
  ['a file onto a folder goes into it', { 'data/b.csv': '2' }, { 'a.csv': '1' }, 'data', ['data/a.csv', 'data/b.csv']],
  ['a folder onto nothing becomes it', {}, { 'a.csv': '1', 'b/c.csv': '2' }, 'data', ['data/a.csv', 'data/b/c.csv']],
  ['a folder of one file stays a folder', {}, { 'a.csv': '1' }, 'data', ['data/a.csv']],
  [
    'a folder merges into a folder',
    { 'data/x': '' },
    { a: '1', 'b/c': '2' },
    './data/',
    ['data/a', 'data/b/c', 'data/x'],
  ],
  ['everything can go to the root', { x: '' }, { a: '1', b: '2' }, './', ['a', 'b', 'x']],
];
test.each(PLACED)('%s', (what, source, data, localPath, files) =>
  withScratchFolder(async (scratch) => {
    const [src, downloaded] = [await write(join(scratch, 'src'), source), await write(join(scratch, 'data'), data)];
    await placeData({ downloaded, source: src, localPath, isFile: what.startsWith('a file') });
    expect(await filesIn(src)).toEqual(files);
  }),
);

const REFUSED: [string, Record<string, string>, Record<string, string>, string, RegExp][] = [
  ['a folder onto a file', { data: 'x' }, { a: '1', b: '2' }, 'data', /is a file/],
  ['a folder where another file is deeper down', { 'data/b': 'x' }, { a: '1', 'b/c': '2' }, 'data', /beside/],
  ['a file below a file', { data: 'x' }, { a: '1' }, 'data/wine.csv', /beside/],
  ['an absolute path', {}, { a: '1' }, '/etc/x', /leads out/],
  ['a path that climbs', {}, { a: '1' }, 'data/../../x', /leads out/],
  ['a path below a link', {}, { a: '1' }, 'link/x', /below a symbolic link/],
  ['a link itself', {}, { a: '1' }, 'link', /below a symbolic link/],
];
test.each(REFUSED)('%s is refused', (_what, source, data, localPath, why) =>
  withScratchFolder(async (scratch) => {
    const [src, downloaded] = [await write(join(scratch, 'src'), source), await write(join(scratch, 'data'), data)];
    const outside = await write(join(scratch, 'outside'), {});
    await symlink(outside, join(src, 'link'));
    const isFile = Object.keys(data).length === 1;
    await expect(placeData({ downloaded, source: src, localPath, isFile })).rejects.toMatchObject(refused(why));
    expect(await filesIn(outside)).toEqual([]);
  }),
);

test('a link deeper in the tree is replaced by the data, not followed', () =>
  withScratchFolder(async (scratch) => {
    const src = await write(join(scratch, 'src'), { 'data/x': '' });
    const outside = await write(join(scratch, 'outside'), { secret: 'mine' });
    await symlink(join(outside, 'secret'), join(src, 'data', 'a'));
    const downloaded = await write(join(scratch, 'data'), { a: '1', b: '2' });
    await placeData({ downloaded, source: src, localPath: 'data', isFile: false });
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('mine');
    expect(await readFile(join(src, 'data', 'a'), 'utf8')).toBe('1');
  }));

test('a download takes what lies under its prefix and nothing beside it', () =>
  withScratchFolder(async (scratch) => {
    const objects = createMemoryObjects();
    for (const key of ['models/a', 'models/b/c', 'models-old/x', 'models-old/../../evil', 'models/empty/'])
      await objects.put(key, key);
    expect(await downloadObjects(objects, 'models', join(scratch, 'all'))).toBe(2);
    expect(await filesIn(join(scratch, 'all'))).toEqual(['a', 'b/c']);
    expect(await downloadObjects(objects, 'models/a', join(scratch, 'one'))).toBe(1);
    expect(await filesIn(join(scratch, 'one'))).toEqual(['a']);
    expect(await downloadObjects(objects, 'none', join(scratch, 'none'))).toBe(0);
  }));

test('objects that cannot be files beside each other fail for good', () =>
  withScratchFolder(async (scratch) => {
    const objects = createMemoryObjects();
    for (const key of ['a', 'a/b']) await objects.put(key, key);
    await expect(downloadObjects(objects, '', scratch)).rejects.toMatchObject(refused(/beside/));
  }));

test.each([
  ['a/../../evil', /object "a\/\.\.\/\.\.\/evil" leads out of its folder/],
  ['a\u0000b', /no file can have the name of object "a/],
  [`a/${'ä'.repeat(128)}`, /no file can have the name/],
])('an object of the name %j is not left out, but fails for good', (key, why) =>
  withScratchFolder(async (scratch) => {
    const objects = createMemoryObjects();
    for (const each of ['good', key]) await objects.put(each, each);
    await expect(downloadObjects(objects, '', scratch)).rejects.toMatchObject(refused(why));
  }),
);

test('the same source is stored once, under one key', () =>
  withScratchFolder(async (scratch) => {
    const objects = createMemoryObjects();
    let puts = 0;
    const counting: ObjectStore = { ...objects, put: (...args) => ((puts += 1), objects.put(...args)) };
    const store = async (name: string, files: Record<string, string>) => {
      const folder = await write(join(scratch, name, 'src'), files);
      return storeWorkspace(folder, join(scratch, name), counting);
    };
    const first = await store('one', { a: '1' });
    expect(await store('two', { a: '1' })).toEqual(first);
    expect(puts).toBe(1);
    expect((await store('three', { a: '2' })).key).not.toBe(first.key);
  }));

async function prepare(
  openStore: () => Promise<ObjectStore>,
  spec: Parameters<typeof newTraining>[1] = {},
  {
    bucketRules = { ambientBuckets: [], closedFolders: [] },
    signal = new AbortController().signal,
  }: { bucketRules?: BucketRules; signal?: AbortSignal } = {},
) {
  const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
  await connections.insert(newConnection('bucket', { type: 'gcs', uri: 'gs://bucket/path' }));
  const objects = createMemoryObjects();
  const deps = { connections, objects, openStore, openSecret: (sealed: string) => sealed, bucketRules, localRoots: [] };
  const algorithmSource = { vcs: {}, objectStorage: { connection: 'bucket' } };
  const training = newTraining('wine', { algorithmSource, workDir: './', data: [], ...spec });
  return prepareSource(deps, training, signal);
}

test('source and data come together, with the digest of the data', async () => {
  const objects = createMemoryObjects();
  await objects.put('train.py', 'x');
  const data = [{ connection: 'bucket', localPath: 'data/' }];
  const prepared = await prepare(async () => objects, { data });
  expect(prepared).toMatchObject({ commit: '', key: `workspaces/sha256/${prepared.digest}.tar.gz` });
  expect(Object.keys(prepared.dataDigests)).toEqual(['data/']);
  expect(await prepare(async () => objects, { data })).toEqual(prepared);
});

test.each([
  ['data', undefined, ['target/data']],
  ['data/data', undefined, ['target']],
  ['', 'data', ['target/data']],
  ['', 'data/data', ['target']],
  ['data', './data', ['target']],
  ['wine.csv', undefined, ['target']],
])('data at "%s" with remotePath %s lands as %j', (path, remotePath, placed) =>
  withScratchFolder(async (scratch) => {
    const bucket = createMemoryObjects();
    for (const key of ['data/data', 'else/x', 'wine.csv', 'code/train.py']) await bucket.put(key, key);
    const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
    await connections.insert(newConnection('code', { type: 'gcs', uri: 'gs://bucket/code' }));
    await connections.insert(newConnection('data', { type: 'gcs', uri: `gs://bucket/${path}` }));
    const openStore = async ({ spec }: Connection) => {
      const { path: inside } = objectLocation(spec);
      return inside === '' ? bucket : below(bucket, inside);
    };
    const objects = createMemoryObjects();
    const deps = {
      connections,
      objects,
      openStore,
      openSecret: (sealed: string) => sealed,
      bucketRules: { ambientBuckets: [], closedFolders: [] },
      localRoots: [],
    };
    const training = newTraining('wine', {
      algorithmSource: { vcs: {}, objectStorage: { connection: 'code' } },
      workDir: './',
      data: [{ connection: 'data', localPath: 'target', remotePath }],
    });
    const { key } = await prepareSource(deps, training, new AbortController().signal);
    await unpackInto(await objects.open(key), scratch, {});
    expect(await filesIn(join(scratch, 'src'))).toEqual([...placed, 'train.py'].sort());
  }),
);

test.each([
  ['../code', /leads out of the path/],
  ['/code', /is absolute/],
  ['logs', /the platform keeps for itself/],
])('a stored training that reads at "%s" fails for good', async (remotePath, why) => {
  const objects = createMemoryObjects();
  await objects.put('train.py', 'x');
  const data = [{ connection: 'bucket', localPath: 'data/', remotePath }];
  const bucketRules = { ambientBuckets: [], ownBucket: 'gs://bucket', closedFolders: ['path/logs'] };
  await expect(
    prepare(
      async () => objects,
      { data, algorithmSource: { vcs: {}, objectStorage: { connection: 'bucket', path: 'code' } } },
      { bucketRules },
    ),
  ).rejects.toMatchObject(refused(why));
});

test.each([
  ['an empty bucket', async () => createMemoryObjects(), /no objects/],
  [
    'a provider that cannot be read',
    async () => Promise.reject(new SlipwayError('validation_failed', 'not s3')),
    /not s3/,
  ],
  ['a bucket that is missing', async () => Promise.reject(new SlipwayError('not_found', 'no bucket')), /no bucket/],
] as const)('%s fails for good', async (_what, openStore, why) => {
  await expect(prepare(openStore)).rejects.toMatchObject(refused(why));
});

test('a copy of data ends when its training is canceled', async () => {
  const objects = createMemoryObjects();
  await objects.put('train.py', 'x');
  const canceling = new AbortController();
  const open = async () => {
    canceling.abort(new Error('canceled'));
    return new Readable({ read: () => undefined });
  };
  await expect(prepare(async () => ({ ...objects, open }), {}, canceling)).rejects.toThrow();
});

test('object storage that does not answer is asked again', async () => {
  const away = async () => Promise.reject(new SlipwayError('unavailable', 'away'));
  await expect(prepare(away)).rejects.toMatchObject({ retryable: true });
});

test.each(['none', '../', '/etc', 'train.py'])('the working folder "%s" is refused', async (workDir) => {
  const objects = createMemoryObjects();
  await objects.put('train.py', 'x');
  await expect(prepare(async () => objects, { workDir })).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'SourceCheckoutFailed' }),
  });
});
