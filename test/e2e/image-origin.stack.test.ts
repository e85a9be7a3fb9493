import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseImageReference, referenceIn } from '../../platform/engines/image-reference.js';
import { digestOfBytes } from '../../platform/registry/manifests.js';
import { openRepository } from '../../platform/registry/repository.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
let image = '';
let packed: Record<string, string> = {};
beforeAll(async () => {
  platform = await startTestPlatform();
  const connection = await createProject(platform, SMALL_MODEL);
  const id = platform.newId('origin');
  await platform.admin.create('/model/training', id, trainingSpec(connection, { name: id }));
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  const targets = [{ name: 'container-push', connectionName: 'docker-ci' }];
  const spec = { artifactName: status.artifactName, integrationName: 'container-rest', targets };
  await platform.admin.create('/model/packaging', id, spec);
  const done = await untilState(platform, '/model/packaging', id, ['succeeded', 'failed'], 240);
  packed = Object.fromEntries((done.status.results ?? []).map(({ name, value }) => [name, value]));
  packed.id = id;
  packed.commit = status.artifacts?.[0]?.commitID ?? '';
  image = packed.image ?? '';
}, 900_000);
afterAll(() => platform.stop());

const repositoryOf = (image: string) =>
  openRepository({
    ...{ name: parseImageReference(image).name, reason: 'PushFailed' },
    signal: new AbortController().signal,
  });

/** Gives a tag to an image with the same layers, made by another party: it differs in one variable. */
async function pushForeign(tag: string): Promise<string> {
  const repository = repositoryOf(image);
  const stored = await repository.manifest(referenceIn(image));
  const manifest = JSON.parse(String(stored?.bytes)) as { config: { digest: string; size: number } };
  const config = (await json(repository.readBlob(manifest.config))) as { config: { Env: string[] } };
  config.config.Env.push('FOREIGN=yes');
  const bytes = Buffer.from(JSON.stringify(config));
  const blob = { digest: digestOfBytes(bytes), size: bytes.length };
  await repository.uploadBlob({ ...blob, open: (start) => Readable.from([bytes.subarray(start)]) });
  const changed = Buffer.from(JSON.stringify({ ...manifest, config: { ...manifest.config, ...blob } }));
  await repository.putManifest({ mediaType: stored?.mediaType ?? '', bytes: changed }, tag);
  return `${repository.name}:${tag}`;
}

const verify = async (image: string) =>
  (await platform.admin.call('GET', `/api/v1/image/verification?${new URLSearchParams({ image }).toString()}`)).body;

const deploy = async (id: string, spec: object) => {
  await platform.admin.create('/model/deployment', id, { predictor: 'platform-ml-server', minReplicas: 1, ...spec });
  return (await untilState(platform, '/model/deployment', id, ['Ready', 'Failed'])).status;
};

test('a packaged image says of which commit it is', async () => {
  expect(await verify(image)).toMatchObject({
    ...{ verified: true, digest: packed.imageDigest, builder: platform.baseUrl },
    ...{ packaging: packed.id, training: packed.id, commit: packed.commit, packages: expect.any(Number) },
  });
});

test('an image of another party is refused, or warned of, by the policy of the deployment', async () => {
  const foreign = await pushForeign('foreign');
  expect(await verify(foreign)).toMatchObject({
    verified: false,
    why: 'it has no signed statement of its origin',
  });
  const [strict, lenient] = [platform.newId('strict'), platform.newId('lenient')];
  expect(await deploy(strict, { image: foreign, imagePolicy: 'signed' })).toMatchObject({
    ...{ state: 'Failed', reason: 'ImageRefused', availableReplicas: 0 },
    message: expect.stringContaining('it has no signed statement of its origin'),
  });
  expect(await platform.engine.find({ kind: 'deployment', id: strict })).toEqual([]);
  const warned = { warning: expect.stringContaining(`"${foreign}" is not trusted`) };
  expect(await deploy(lenient, { image: foreign })).toMatchObject({ state: 'Ready', ...warned });
  const { events } = (
    await platform.admin.call<{ events: { payload: object }[] }>('GET', '/api/v1/model/deployment-events?cursor=0')
  ).body;
  expect(events.map(({ payload }) => payload)).toContainEqual(
    expect.objectContaining({ id: lenient, status: expect.objectContaining(warned) }),
  );
});

test('a signed image runs by its digest, also after its tag moved to another image', async () => {
  const id = platform.newId('pinned');
  const status = await deploy(id, { image, imagePolicy: 'signed' });
  expect(status).toMatchObject({ state: 'Ready', imageDigest: packed.imageDigest });
  expect(status).not.toHaveProperty('warning');
  await pushForeign(referenceIn(image));
  const [replica] = await platform.engine.find({ kind: 'deployment', id });
  if (replica) await platform.engine.remove(replica);
  await until('a new replica', async () => {
    const [started] = await platform.engine.find({ kind: 'deployment', id });
    return started?.running && (await read(platform, '/model/deployment', id)).status.availableReplicas === 1;
  });
  const command = ['python', '-c', 'import os; print(os.environ.get("FOREIGN"))'];
  const { output } = await platform.engine.exec(replica ?? { name: '' }, command, { timeoutMs: 30_000 });
  expect(output.trim()).toBe('None');
}, 600_000);
