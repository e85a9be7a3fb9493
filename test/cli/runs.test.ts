import { beforeAll, expect, test } from 'vitest';
import { logPrefix } from '../../platform/kinds/ids.js';
import type { RunState } from '../../platform/kinds/run-status.js';
import { begin } from './begin.js';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();
beforeAll(async () => {
  await api.call('POST', '/api/v1/connection', {
    body: { id: 'code', spec: { type: 'git', uri: 'https://example.org/x.git' } },
  });
});

const manifest = (id: string) => `
kind: ModelTraining
id: ${id}
spec:
  model: { name: wine, version: 1 }
  toolchain: ml-toolchain
  algorithmSource: { vcs: { connection: code } }
`;

/** Moves a training as its run would. */
const move = (id: string, state: RunState, more: object = {}) =>
  api.trainings.update(id, (each) => ({ ...each, status: { ...each.status, ...more, state } }));

/** Writes to the log of a training as its run would. */
async function write(id: string, ...texts: string[]) {
  const training = await api.trainings.get(id);
  if (training === undefined) throw new Error(`there is no training ${id}`);
  const writer = await api.logs.writer(logPrefix('training', training));
  for (const text of texts) await writer.append({ at: new Date().toISOString(), stream: 'stdout', text });
  await writer.flush();
  return writer;
}

test('a training is waited for line by line, and only its artifact is on standard output', async () => {
  const training = begin(slipway, ['train', '-f', await slipway.file(manifest('good')), '--wait']);
  await training.until('training/good created');
  await move('good', 'running', { startedAt: '2026-01-01T00:00:00.000Z' });
  await training.until('training/good  running');
  const writer = await write('good', 'INFO === train', 'epoch 1');
  await training.until('step train');
  await writer.finish({ exitCode: 0 });
  await move('good', 'succeeded', { finishedAt: '2026-01-01T00:00:51.000Z', artifactName: 'wine-1.zip' });
  const { exitCode, out, err } = await training.ended;
  expect([exitCode, out]).toEqual([0, 'wine-1.zip\n']);
  expect(err.replace(/\(\d+s\)/g, '(n)').split('\n')).toEqual(
    expect.arrayContaining([
      'training/good created',
      'training/good  running  (n)',
      'training/good  step train  (n)',
      'training/good  succeeded  (n)',
      'training/good succeeded after 51s',
    ]),
  );
  expect(err).not.toContain('epoch 1');
});

test('a training that fails ends with 1, its reason and the last lines of its log', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('bad'))]);
  const failure = { reason: 'ToolchainFailed', message: 'the program ended with 3', logTail: 'one\ntwo\n' } as const;
  await move('bad', 'failed', failure);
  const { exitCode, err } = await slipway.run(['wait', 'training', 'bad']);
  expect(exitCode).toBe(1);
  expect(err).toContain(
    'training/bad failed: ToolchainFailed: the program ended with 3\n  one\n  two\ncomplete log: slipway logs training/bad\n',
  );
});

test('the same manifest again does not train again, unless it is asked to', async () => {
  const file = await slipway.file(manifest('once'));
  expect(await slipway.run(['train', '-f', file])).toEqual({
    exitCode: 0,
    out: 'training/once created\n',
    err: 'follow with "slipway wait training/once"\n',
  });
  await move('once', 'succeeded', { artifactName: 'once.zip' });
  const again = await slipway.run(['train', '-f', file, '--wait']);
  expect(again).toMatchObject({ exitCode: 0, out: 'once.zip\n' });
  expect(again.err).toContain('training/once has succeeded before; --rerun runs it again\n');
  await slipway.run(['train', '-f', file, '--rerun']);
  expect((await api.trainings.get('once'))?.generation).toBe(2);
});

test('Ctrl-C leaves the run alone and says how to see it again', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('long'))]);
  const stop = new AbortController();
  const waiting = begin(slipway, ['wait', 'training/long'], stop.signal);
  await waiting.until('training/long  unknown');
  stop.abort();
  const { exitCode, err } = await waiting.ended;
  expect(exitCode).toBe(130);
  expect(err).toContain('training/long continues; follow with "slipway wait training/long"\n');
  expect(api.signals.some((line) => line.startsWith('cancel training/long'))).toBe(false);
});

test('a wait that takes too long ends with 7', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('late'))]);
  const { exitCode, err } = await slipway.run(['wait', 'training/late', '--timeout', '1s']);
  expect(exitCode).toBe(7);
  expect(err).toContain('training/late continues; follow with');
  expect((await slipway.run(['wait', 'training/late', '--timeout', '1x'])).exitCode).toBe(2);
});

test('runs are canceled and run again', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('moved'))]);
  expect((await slipway.run(['rerun', 'training', 'moved'])).exitCode).toBe(5);
  expect((await slipway.run(['cancel', 'training', 'moved'])).out).toBe('training/moved is being canceled\n');
  expect(api.signals).toContain('cancel training/moved 1');
  await move('moved', 'failed', { reason: 'Cancelled' });
  expect((await slipway.run(['cancel', 'training', 'moved'])).exitCode).toBe(5);
  expect((await slipway.run(['rerun', 'training', 'moved'])).out).toBe('training/moved runs again\n');
  expect((await slipway.run(['cancel', 'deployment', 'moved'])).exitCode).toBe(2);
});

test('an artifact is packed and an image deployed by name, with the defaults of the installation', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('chain'))]);
  const early = await slipway.run(['pack', 'chain', '--from-training', 'chain']);
  expect(early).toMatchObject({ exitCode: 5, err: 'Error: training/chain has no artifact: it is unknown\n' });
  await move('chain', 'succeeded', { artifactName: 'chain.zip' });
  const packed = await slipway.run(['pack', 'chain', '--from-training', 'chain', '--argument', 'workers=2']);
  expect(packed.out).toBe('packaging/chain created\n');
  const { body: packaging } = await api.call('GET', '/api/v1/model/packaging/chain');
  expect(packaging.spec).toMatchObject({
    artifactName: 'chain.zip',
    arguments: { workers: 2 },
    targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
  });
  await api.packagings.update('chain', (each) => ({
    ...each,
    status: { ...each.status, state: 'succeeded', results: [{ name: 'image', value: 'example.org/chain:1' }] },
  }));
  const deployed = await slipway.run(['deploy', 'chain', '--from-packaging', 'chain', '--replicas', '2']);
  expect(deployed.out).toBe('deployment/chain created\n');
  const { body: deployment } = await api.call('GET', '/api/v1/model/deployment/chain');
  expect(deployment.spec).toMatchObject({ image: 'example.org/chain:1', minReplicas: 2, maxReplicas: 2 });
  const manifestOfDeployment = await slipway.file(
    'kind: ModelDeployment\nid: other\nspec: { predictor: platform-ml-server, image: replaced }\n',
  );
  await slipway.run(['deploy', '-f', manifestOfDeployment, '--image', 'example.org/other:2']);
  expect((await api.call('GET', '/api/v1/model/deployment/other')).body.spec.image).toBe('example.org/other:2');
  expect((await slipway.run(['deploy', 'x'])).exitCode).toBe(2);
});

test('a log is printed, and followed to its end', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('logged'))]);
  expect(await slipway.run(['logs', 'training', 'logged'])).toMatchObject({
    exitCode: 5,
    err: expect.stringContaining('model Training logged has not started yet'),
  });
  const following = begin(slipway, ['logs', '-f', 'training/logged']);
  const writer = await write('logged', 'one', 'two');
  await following.until('two');
  await writer.append({ at: new Date().toISOString(), stream: 'stdout', text: 'three' });
  await writer.finish({ exitCode: 0 });
  await move('logged', 'succeeded');
  expect(await following.ended).toEqual({ exitCode: 0, out: 'one\ntwo\nthree\n', err: '' });
  expect((await slipway.run(['logs', 'training/logged', '--tail', '1'])).out).toBe('three\n');
  expect((await slipway.run(['logs', 'connection', 'code'])).exitCode).toBe(2);
  const ofRun = await slipway.run(['logs', 'run/wine-3']);
  expect([ofRun.exitCode, ofRun.err]).toEqual([2, expect.stringContaining('"slipway describe run wine-3" names')]);
});

test('manifests are deleted in the reverse order; what is not there is an error only when it was named so', async () => {
  const file = await slipway.file(`${manifest('gone')}
---
kind: Connection
id: gone
spec: { type: git, uri: https://example.org/gone.git }
`);
  await slipway.run(['apply', '-f', file]);
  expect((await slipway.run(['delete', '-f', file, '--dry-run'])).out).toBe(
    'training/gone deleted (dry run)\nconnection/gone deleted (dry run)\n',
  );
  expect((await slipway.run(['delete', '-f', file])).out).toBe('training/gone deleted\nconnection/gone deleted\n');
  const again = await slipway.run(['delete', '-f', file]);
  expect(again).toMatchObject({ exitCode: 4, out: '' });
  expect(again.err).toContain('training/gone was not deleted: entity "gone" is not found');
  expect(await slipway.run(['delete', '-f', file, '--ignore-not-found'])).toEqual({ exitCode: 0, out: '', err: '' });
});

test('one that cannot be deleted does not keep the others', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('leaves'))]);
  const { exitCode, out, err } = await slipway.run(['delete', 'connection/docker-ci', 'training/leaves']);
  expect([exitCode, out]).toEqual([5, 'training/leaves deleted\n']);
  expect(err).toContain('connection/docker-ci was not deleted: docker-ci connection is vital, it cannot be deleted');
});

test('the audit names who did what', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('audited'))]);
  const { out } = await slipway.run(['audit', 'training', 'audited']);
  expect(out).toMatch(/TIME +WHO +DID +WHAT +FIELDS\n.* create +ModelTraining\/audited +spec\n$/);
});
