import { beforeAll, expect, test } from 'vitest';
import type { RunState } from '../../platform/kinds/run-status.js';
import { begin } from './begin.js';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();
beforeAll(async () => {
  const code = 'kind: Connection\nid: code\nspec: { type: git, uri: https://example.org/x.git }\n';
  await slipway.run(['apply', '-f', await slipway.file(code)]);
});

const training = (id: string) => `
kind: ModelTraining
id: ${id}
spec: { model: { name: wine, version: "1" }, toolchain: ml-toolchain, algorithmSource: { vcs: { connection: code } } }
`;
const packaging = (id: string) => `
kind: ModelPackaging
id: ${id}
spec: { integrationName: container-rest, artifactName: given.zip }
`;
const deployment = (id: string) => `
kind: ModelDeployment
id: ${id}
spec: { predictor: platform-ml-server, image: "example.org/given:1", minReplicas: 1, maxReplicas: 3, roleName: tasters }
`;
const files = (...documents: string[]) => slipway.file(documents.join('---'));
const run = (...args: string[]) => slipway.run(args);
const move = (id: string, state: RunState, more: object = {}) =>
  api.trainings.update(id, (each) => ({ ...each, status: { ...each.status, ...more, state } }));

test('a stored training runs again once it has ended, and is only waited for while it runs', async () => {
  await run('apply', '-f', await files(training('stored')));
  const early = await run('train', 'stored');
  expect([early.exitCode, early.out, (await api.trainings.get('stored'))?.generation]).toEqual([0, '', 1]);
  await move('stored', 'failed');
  const again = begin(slipway, ['train', 'stored', '--wait']);
  await again.until('training/stored runs again');
  expect((await api.trainings.get('stored'))?.generation).toBe(2);
  await again.until('training/stored  unknown');
  await move('stored', 'succeeded', { artifactName: 'again.zip' });
  expect(await again.ended).toMatchObject({ exitCode: 0, out: 'again.zip\n' });
});

test('everything of a manifest is applied, and only its trainings are waited for', async () => {
  const file = await files(packaging('beside'), training('main'));
  const training1 = begin(slipway, ['train', '-f', file, '--wait']);
  await training1.until('packaging/beside created');
  await move('main', 'succeeded', { artifactName: 'main.zip' });
  expect(await training1.ended).toMatchObject({ exitCode: 0, out: 'main.zip\n' });
  expect((await api.packagings.get('beside'))?.status.state).toBe('unknown');
});

test('what fails prints nothing on standard output, for a script to take', async () => {
  const failing = begin(slipway, ['train', '-f', await files(training('fails')), '--wait']);
  await failing.until('created');
  await move('fails', 'failed', { reason: 'ToolchainFailed', message: 'exit code 3' });
  const { exitCode, out, err } = await failing.ended;
  expect([exitCode, out]).toEqual([1, '']);
  expect(err).toContain('exit code 3');
});

test('a packaging made of options has their arguments, as JSON where they are some', async () => {
  const made = await run('pack', 'made', '--artifact', 'wine.zip', '--argument', 'workers=2');
  expect(made).toMatchObject({ exitCode: 0, out: 'packaging/made created\n' });
  expect((await api.packagings.get('made'))?.spec).toMatchObject({
    ...{ artifactName: 'wine.zip', integrationName: 'container-rest' },
    arguments: { workers: 2 },
  });
  expect((await run('pack', 'made', '--artifact', 'wine.zip', '--argument', 'workers=two')).exitCode).toBe(2);
});

test('a packaging waits for its image, and runs again on demand', async () => {
  const file = await files(packaging('image'));
  const packing = begin(slipway, ['pack', '-f', file, '--artifact', 'other.zip', '--wait']);
  await packing.until('packaging/image created');
  expect((await api.packagings.get('image'))?.spec.artifactName).toBe('other.zip');
  const status = { state: 'succeeded' as const, results: [{ name: 'image', value: 'example.org/image:7' }] };
  await api.packagings.update('image', (each) => ({ ...each, status: { ...each.status, ...status } }));
  expect((await packing.ended).out).toBe('example.org/image:7\n');
  await run('pack', '-f', file, '--artifact', 'other.zip');
  expect((await api.packagings.get('image'))?.generation).toBe(1);
  await run('pack', '-f', file, '--artifact', 'other.zip', '--rerun');
  expect((await api.packagings.get('image'))?.generation).toBe(2);
});

test.each([
  [['--replicas', '0'], { minReplicas: 0, maxReplicas: 1, image: 'example.org/given:1', roleName: 'tasters' }],
  [['--replicas', '4'], { minReplicas: 4, maxReplicas: 4 }],
  [['--role', 'others'], { roleName: 'others', minReplicas: 1, maxReplicas: 3 }],
  [['--role', 'others', 'shop'], { roleName: 'others', roles: ['shop'], minReplicas: 1, maxReplicas: 3 }],
  [['--image', 'example.org/new:2'], { image: 'example.org/new:2', maxReplicas: 3 }],
])('%j changes the deployment of a manifest', async (args, spec) => {
  expect((await run('deploy', '-f', await files(deployment('changed')), ...args)).exitCode).toBe(0);
  expect((await api.deployments.get('changed'))?.spec).toMatchObject(spec);
});

test('a deployment of an image has one replica, or as many as are asked for', async () => {
  await run('deploy', 'plain', '--image', 'example.org/x:1');
  expect((await api.deployments.get('plain'))?.spec).toMatchObject({ minReplicas: 1, predictor: 'platform-ml-server' });
  await run('deploy', 'plain', '--image', 'example.org/x:1', '--replicas', '2', '--role', 'tasters');
  expect((await api.deployments.get('plain'))?.spec).toMatchObject({
    minReplicas: 2,
    maxReplicas: 2,
    roleName: 'tasters',
  });
});

// prettier-ignore
test.each<[string[], number, string]>([
  [['train'], 2, '-f'],
  [['train', 'a', '-f', 'x.yaml'], 2, '-f'],
  [['train', 'absent'], 4, '"absent"'],
  [['train', '-f', 'absent.yaml'], 2, 'absent.yaml'],
  [['pack'], 2, '--from-training'],
  [['pack', 'new'], 2, '--from-training'],
  [['pack', 'new', '--from-training', 'absent'], 4, '"absent"'],
  [['pack', 'new', '--artifact', 'x.zip', '--argument', 'workers'], 2, '"workers"'],
  [['pack', 'new', '--artifact', 'x.zip', '--packager', 'unheard-of'], 2, 'unheard-of'],
  [['pack', 'Not Valid', '--artifact', 'x.zip'], 2, 'ID'],
  [['deploy'], 2, '--image'],
  [['deploy', 'new'], 2, '--image'],
  [['deploy', 'new', '--from-packaging', 'absent'], 4, '"absent"'],
  [['deploy', 'new', '--from-packaging', 'beside'], 5, 'packaging/beside'],
  [['deploy', 'new', '--image', 'x', '--replicas', '-1'], 2, 'replicas'],
  [['deploy', 'new', '--image', 'x', '--predictor', 'unheard-of'], 2, 'unheard-of'],
  [['cancel', 'training', 'absent'], 4, '"absent"'],
  [['cancel', 'connection', 'code'], 2, 'trainings'],
  [['rerun', 'training', 'absent'], 4, '"absent"'],
  [['rerun', 'deployment', 'plain'], 2, 'trainings'],
])('%j ends with %i, names %s, and starts nothing', async (args, exitCode, text) => {
  const before = api.signals.length;
  const ended = await run(...args);
  expect([ended.exitCode, ended.out, api.signals.length]).toEqual([exitCode, '', before]);
  expect(ended.err).toContain(text);
});

test.each([
  ['train', [packaging('lonely')], []],
  ['pack', [training('lonely')], ['--artifact', 'x.zip']],
  ['pack', [packaging('a'), packaging('b')], ['--artifact', 'x.zip']],
  ['deploy', [deployment('a'), deployment('b')], ['--image', 'x']],
  ['deploy', [training('lonely')], ['--replicas', '2']],
])('%s needs one document of its kind in the manifests', async (command, documents, args) => {
  const { exitCode, out } = await run(command, '-f', await files(...documents), ...args);
  expect([exitCode, out]).toEqual([2, '']);
  expect(await api.trainings.get('lonely')).toBeUndefined();
});

test('several runs are canceled in turn, and the first that cannot be ends the command', async () => {
  for (const id of ['one', 'two', 'three']) await run('apply', '-f', await files(training(id)));
  await move('two', 'succeeded');
  const { exitCode, out } = await run('cancel', 'training', 'one', 'two', 'three');
  expect([exitCode, out]).toEqual([5, 'training/one is being canceled\n']);
  expect(api.signals.filter((line) => /^cancel training\/(one|two|three)/.test(line))).toHaveLength(1);
});

test('a run that is rerun can be waited for', async () => {
  await run('apply', '-f', await files(training('rerun')));
  await move('rerun', 'failed');
  const rerun = begin(slipway, ['rerun', 'training', 'rerun', '--wait']);
  await rerun.until('training/rerun  unknown');
  await move('rerun', 'succeeded');
  expect(await rerun.ended).toMatchObject({ exitCode: 0, out: 'training/rerun runs again\n' });
});
