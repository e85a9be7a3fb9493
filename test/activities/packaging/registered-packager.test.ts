import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { unpackInto } from '../../../activities/shared/unpack.js';
import { openImage } from '../../../platform/registry/open-image.js';
import { type TarEntry } from '../shared/archives.js';
import { inScratchFolder } from '../../stack/scratch.js';
import { entriesOf } from '../../platform/registry/memory-registry.js';
import { type Options, failed, openAssembly, removeServers } from './assembly-scene.js';

afterEach(removeServers);

const planOf = (host: string, changes: object = {}): TarEntry[] => [
  { name: 'output/image.json', content: JSON.stringify({ base: `${host}/library/python:3.11`, ...changes }) },
  { name: 'output/app/run.sh', content: 'exec true' },
];
const REGISTERED = { packager: 'mine', args: { flavor: 'sweet', dockerfileBaseImage: undefined } };
/** A mirror, since the plan is written before the registry has its address. */
const FAR = { mirrors: (host: string) => ({ 'bases.example/library/python:3.11': `${host}/library/python:3.11` }) };

test('a registered packager runs with the artifact and its arguments, and the image is made of what it wrote', async () => {
  const plan = { entrypoint: ['sh', 'run.sh'], env: { MODE: 'x' }, predictor: 'platform-ml-server', port: 9_000 };
  const scene = await openAssembly({ ...REGISTERED, ...FAR, output: planOf('bases.example', plan) });
  const { digest, image: name } = await scene.build();
  expect(name).toBe(`${scene.host}/models/wine-model-1:u1`);
  const [job] = scene.started.filter(({ spec }) => spec.labels.part === 'pack');
  expect(job?.spec).toMatchObject({
    ...{ image: 'packer:1', command: ['pack', '--all', '/workspace/job.json'], network: 'internet' },
    env: expect.not.objectContaining({ SLIPWAY_SECRET_KEY: expect.anything() }),
  });
  await inScratchFolder(async (folder) => {
    for (const { bytes } of job?.archives ?? []) await unpackInto(Readable.from([bytes]), folder);
    expect(JSON.parse(await readFile(join(folder, 'job.json'), 'utf8'))).toMatchObject({
      ...{ kind: 'ModelPackaging', id: 'wine', model: { name: 'Wine Model', version: '1' }, image: name },
      ...{ arguments: { flavor: 'sweet' }, artifact: { name: 'wine.zip' } },
    });
    expect((await readdir(join(folder, 'artifact'))).sort()).toEqual(['lock.txt', 'platform.model.yaml', 'wine']);
  });
  const image = await openImage(scene.registry.open('models/wine-model-1'), digest, { reason: 'PushFailed' });
  if (image === undefined) throw new Error('no image');
  expect(Object.keys(await entriesOf(image, 1))).toEqual(['app/', 'app/run.sh']);
  expect(image.config.config).toMatchObject({
    ...{ Entrypoint: ['sh', 'run.sh'], User: '10001:0', WorkingDir: '/app' },
    Env: expect.arrayContaining(['MODE=x', 'MODEL_NAME=Wine Model']),
    Labels: {
      ...{ 'dev.slipway.packager': 'registered', 'dev.slipway.predictor': 'platform-ml-server' },
      'dev.slipway.port': '9000',
    },
  });
  expect(scene.containers.size).toBe(0);
});

test.each<[string, Options, RegExp]>([
  ['ends with an error', { output: [], exitCode: 3 }, /packager ended with exit code 3/],
  ['writes no plan', { output: [{ name: 'output/app', type: 'directory' }] }, /image\.json of the packager is missing/],
  ['writes a plan without base', { output: [{ name: 'output/image.json', content: '{}' }] }, /does not fit: base: /],
  ['writes no JSON', { output: [{ name: 'output/image.json', content: 'x' }] }, /does not fit: image\.json: /],
  ['writes a low port', { output: planOf('h', { port: 80 }) }, /does not fit: port: /],
  [
    'asks for what there is not',
    { output: planOf('h', { privileged: true }) },
    /does not fit: image\.json: .*privileged/,
  ],
  ['sets a variable of ours', { ...FAR, output: planOf('bases.example', { env: { MODEL_NAME: 'x' } }) }, /MODEL_NAME/],
  [
    'leaves its folder',
    { output: [{ name: 'output/app/x', type: 'symlink', linkname: '/etc' }] },
    /is refused: .*leads out/,
  ],
])('a registered packager that %s fails its packaging', async (_, options, message) => {
  const { build, models, containers } = await openAssembly({ ...REGISTERED, ...options });
  await expect(build()).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: expect.objectContaining({ reason: 'PackagerFailed' }) },
    message: expect.stringMatching(message),
  });
  expect([models(), containers.size]).toEqual([[], 0]);
});

test('a packager that was deleted after the start is named', async () => {
  const { build, pulls } = await openAssembly({ packager: 'mine' });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /"mine" was deleted after.*create it again/));
  expect(pulls).toEqual([]);
});
