import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openArtifact } from '../../../activities/training/artifact.js';
import { publishArtifact, stageArtifact } from '../../../activities/training/training-artifact.js';
import { withScratchFolder } from '../../../activities/training/workspace.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { type TarEntry, tarOf, zipOf } from '../shared/archives.js';
import { createMemoryEngine } from '../shared/memory-engine.js';

const PROJECT = 'model: {name: wine, version: 1.0, workDir: platform_model}\n';
const HASH = `--hash=sha256:${'ab'.repeat(32)}`;
const FILES = [
  { name: 'platform.model.yaml', content: PROJECT },
  { name: 'platform_model/entrypoint.py', content: '' },
  {
    name: 'lock.txt',
    content: `numpy==2.1.0 \\\n    ${HASH}\npandas==2.2.3 ; python_version < "4"\n# x==1\n`,
  },
];

/** Opens an artifact with these bytes. */
async function open(bytes: Buffer, metadata: Record<string, string> = {}) {
  const store = createMemoryObjects();
  await store.put('wine.zip', bytes, { metadata });
  return withScratchFolder(async (scratch) => {
    const artifact = await openArtifact(store, 'wine.zip', join(scratch, 'artifact'));
    return { ...artifact, entry: await readFile(join(artifact.folder, artifact.workDir, 'entrypoint.py'), 'utf8') };
  });
}
const failed = (reason: string, pattern: RegExp) => ({
  code: 'run_failed',
  detail: expect.objectContaining({ reason }),
  message: expect.stringMatching(pattern),
});

test("an artifact is read whether it is a gzip'd tar, a tar or a zip", async () => {
  const plain = await tarOf(FILES);
  for (const bytes of [gzipSync(plain), plain, zipOf(FILES)]) {
    expect(await open(bytes)).toMatchObject({
      name: 'wine',
      version: '1',
      workDir: 'platform_model',
      entrypoint: 'entrypoint',
      lock: [`numpy==2.1.0 ${HASH}`, 'pandas==2.2.3'],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  }
});

test('the older names of the project file are read, ours first', async () => {
  const [, ...rest] = FILES;
  const older = { name: 'odahuflow.project.yml', content: PROJECT.replace('wine', 'older') };
  expect(await open(await tarOf([older, ...rest]))).toMatchObject({ name: 'older' });
  expect(await open(await tarOf([older, ...FILES]))).toMatchObject({ name: 'wine' });
});

const replaced = (content: string): TarEntry[] => [{ name: 'platform.model.yaml', content }, ...FILES.slice(1)];
test.each([
  ['without a project file', FILES.slice(1), /holds no platform.model.yaml/],
  ['whose project file is no YAML', replaced('a: [b'), /is no YAML/],
  ['whose project file is empty', replaced('{}'), /lacks model/],
  ['whose folder is missing', replaced(PROJECT.replace('platform_model', 'other')), /no folder "other"/],
  ['whose folder lies outside', replaced(PROJECT.replace('platform_model', '../x')), /no folder/],
  ['that is hostile', [{ name: '/etc/x', content: 'x' }], /refused/],
])('an artifact %s is refused', async (_what, entries, why) => {
  await expect(open(await tarOf(entries))).rejects.toMatchObject(failed('PackagerFailed', why));
});

test('an artifact that is cut off, altered or no archive is refused; one that is missing is not found', async () => {
  const bytes = gzipSync(await tarOf(FILES));
  await expect(open(bytes.subarray(0, 80))).rejects.toMatchObject(failed('PackagerFailed', /./));
  await expect(open(bytes, { sha256: 'f'.repeat(64) })).rejects.toMatchObject(failed('PackagerFailed', /not the one/));
  await expect(open(Buffer.from('hello'))).rejects.toMatchObject(failed('PackagerFailed', /no tar/));
  await expect(openArtifact(createMemoryObjects(), 'none', '/nowhere')).rejects.toMatchObject(
    failed('ArtifactNotFound', /"none"/),
  );
});

test('a download that breaks is tried again', async () => {
  const store = createMemoryObjects();
  await store.put('wine.zip', gzipSync(await tarOf(FILES)));
  const broken = {
    ...store,
    open: async () => new Readable({ read: () => undefined }).destroy(new Error('the line is dead')),
  };
  await expect(withScratchFolder((scratch) => openArtifact(broken, 'wine.zip', scratch))).rejects.toThrow(
    'the line is dead',
  );
});

const HANDLE = { name: 'job' };
async function stage(entries: readonly TarEntry[] | undefined) {
  const { engine, container } = createMemoryEngine();
  await engine.create({
    ...HANDLE,
    image: 'i',
    command: [],
    env: {},
    labels: {},
    network: 'none',
    limits: { cpus: 1, memoryBytes: 1 },
  });
  if (entries) container('job').outputs['/workspace/output/artifact'] = await tarOf(entries);
  const objects = createMemoryObjects();
  return { objects, staged: await stageArtifact(engine, HANDLE, { objects, signal: new AbortController().signal }) };
}

test('what the job left is staged under its digest, the same for the same files', async () => {
  const entries = [
    { name: 'artifact/a', content: '1' },
    { name: 'artifact/b', content: '2' },
  ];
  const [one, two] = [await stage(entries), await stage([...entries].reverse())];
  expect(one.staged).toEqual(two.staged);
  expect(one.staged).toMatchObject({ runId: '', metrics: {}, parameters: {} });
  expect((await one.objects.head(one.staged.key))?.sizeBytes).toBe(one.staged.sizeBytes);
});

test('a job that left nothing, or what cannot be published, says so', async () => {
  await expect(stage(undefined)).rejects.toMatchObject(failed('ArtifactNotFound', /no artifact/));
  await expect(stage([{ name: 'artifact/', type: 'directory' }])).rejects.toMatchObject(
    failed('ArtifactNotFound', /no artifact/),
  );
  const link = { name: 'artifact/l', type: 'symlink' as const, linkname: '/etc/passwd' };
  await expect(stage([link])).rejects.toMatchObject(failed('ToolchainFailed', /"l" leads out/));
});

test('an artifact is published once; the same again is success, another under its name is not', async () => {
  const { objects, staged } = await stage([{ name: 'artifact/a', content: '1' }]);
  const bucket = createMemoryObjects();
  const publish = (digest = staged.digest) =>
    publishArtifact(objects, bucket, {
      ...{ staged: { ...staged, digest }, artifactName: 'wine.zip', signal: new AbortController().signal },
    });
  await publish();
  await publish();
  expect((await bucket.head('wine.zip'))?.metadata).toEqual({ sha256: staged.digest });
  await expect(publish('f'.repeat(64))).rejects.toMatchObject(failed('PackagerFailed', /another artifact/));
});

test('a canceled upload of an artifact ends, and stores nothing', async () => {
  const [objects, bucket] = [createMemoryObjects(), createMemoryObjects()];
  const endless = new Readable({ read: () => undefined });
  const from = { ...objects, open: async () => endless };
  const staged = { key: 'k', digest: 'd', sizeBytes: 1, runId: '', metrics: {}, parameters: {} };
  const canceling = new AbortController();
  const published = publishArtifact(from, bucket, { staged, artifactName: 'wine.zip', signal: canceling.signal });
  canceling.abort();
  await expect(published).rejects.toMatchObject({ name: 'AbortError' });
  expect(await bucket.head('wine.zip')).toBeUndefined();
});

test('an artifact with a description of more than 1 MiB is refused', async () => {
  const name = 'platform.model.yaml';
  const files = FILES.map((file) => (file.name === name ? { name, content: '#'.repeat(2 ** 20 + 1) } : file));
  // Not compressed: the ratio of an archive is checked before.
  await expect(open(await tarOf(files))).rejects.toMatchObject(
    failed('PackagerFailed', /^platform\.model\.yaml of the artifact is longer than 1048576 bytes$/),
  );
});
