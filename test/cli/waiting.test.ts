import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { runCli } from '../../cli/run.js';
import { logPrefix } from '../../platform/kinds/ids.js';
import type { RunState } from '../../platform/kinds/run-status.js';
import type { DeploymentStatus } from '../../lifecycle/kinds/deployment.js';
import { createProxy } from '../platform/stores/proxy.js';
import { begin } from './begin.js';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();
beforeAll(async () => {
  await slipway.run(['apply', '-f', await slipway.file(connection('code'))]);
});

const connection = (id: string) => `
kind: Connection
id: ${id}
spec: { type: git, uri: https://example.org/x.git }
`;
const training = (id: string) => `
kind: ModelTraining
id: ${id}
spec: { model: { name: wine, version: "1" }, toolchain: ml-toolchain, algorithmSource: { vcs: { connection: code } } }
`;
const deployment = (id: string) => `
kind: ModelDeployment
id: ${id}
spec: { predictor: platform-ml-server, image: "example.org/x:1", minReplicas: 2, maxReplicas: 2 }
`;
const apply = async (...documents: string[]) => {
  const ended = await slipway.run(['apply', '-f', await slipway.file(documents.join('---'))]);
  expect(ended).toMatchObject({ exitCode: 0 });
};
const move = (id: string, state: RunState, more: object = {}) =>
  api.trainings.update(id, (each) => ({ ...each, status: { ...each.status, ...more, state } }));
const scale = (id: string, status: Partial<DeploymentStatus>) =>
  api.deployments.update(id, (each) => ({ ...each, status: { ...each.status, ...status } }));

/** A clock that moves with each pause. */
function fastClock() {
  let time = Date.now();
  return {
    now: () => time,
    pause: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      time += ms;
      await new Promise(setImmediate);
    },
  };
}

test('one of several that failed is the failure of the command, once all have ended', async () => {
  await apply(training('good'), training('bad'));
  const waiting = begin(slipway, ['wait', 'training', 'good', 'bad']);
  await waiting.until('training/bad  unknown');
  await move('bad', 'failed', {
    reason: 'ToolchainFailed',
    logTail: Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join(''),
  });
  await waiting.until('training/bad  failed');
  await move('good', 'succeeded', { artifactName: 'good.zip' });
  const { exitCode, out, err } = await waiting.ended;
  expect([exitCode, out]).toEqual([1, '']);
  expect(err.match(/^ {2}line \d+$/gm)).toEqual(Array.from({ length: 15 }, (_, n) => `  line ${n + 25}`));
  expect(err.indexOf('training/good succeeded')).toBeLessThan(err.indexOf('training/bad failed'));
});

test('what a run waits for is shown', async () => {
  await apply(training('stalled'));
  const waiting = begin(slipway, ['wait', 'training', 'stalled']);
  await waiting.until('training/stalled  unknown');
  await move('stalled', 'running', { message: 'example.org does not answer, the next try is at 10:31' });
  await waiting.until('training/stalled  running  example.org does not answer, the next try is at 10:31');
  await move('stalled', 'succeeded', { artifactName: 'a.zip', message: undefined });
  expect(await waiting.ended).toMatchObject({ exitCode: 0 });
});

test('a canceled run needs no log', async () => {
  await apply(training('canceled'));
  await move('canceled', 'failed', { reason: 'Cancelled', logTail: 'half a line' });
  const { exitCode, err } = await slipway.run(['wait', 'training/canceled']);
  expect([exitCode, err]).toEqual([1, expect.not.stringContaining('half a line')]);
});

test.each([
  ['30m', 30 * 60],
  ['1h30m', 90 * 60],
])('a wait of %s ends with 7 and says how to go on', async (timeout, seconds) => {
  await apply(training('endless'));
  const { now, pause } = fastClock();
  const begun = now();
  // A larger step than that of the command, which never waits beyond its end.
  const leap = (ms: number, signal?: AbortSignal) => pause(ms === 1_000 ? 600_000 : ms, signal);
  const ended = await slipway.run(['wait', 'training', 'endless', '--timeout', timeout], { now, pause: leap });
  expect([ended.exitCode, ended.out]).toEqual([7, '']);
  expect(ended.err).toContain('slipway wait training/endless');
  expect(now() - begun).toBeGreaterThanOrEqual(seconds * 1_000);
});

test.each(['soon', '-1', '', '1h 5m'])('"--timeout %s" is refused with 2', async (timeout) => {
  expect(await slipway.run(['wait', 'training', 'x', '--timeout', timeout])).toMatchObject({ exitCode: 2, out: '' });
});

test('a deployment is waited for until as many replicas answer as it needs, and its address is the result', async () => {
  const deploying = begin(slipway, ['deploy', '-f', await slipway.file(deployment('scaled')), '--wait']);
  await deploying.until('deployment/scaled created');
  await scale('scaled', { state: 'Processing', replicas: 2, availableReplicas: 0 });
  await deploying.until('0/2 replicas ready');
  await scale('scaled', { availableReplicas: 1, reason: 'ImagePullFailed' });
  await deploying.until('1/2 replicas ready, ImagePullFailed');
  await scale('scaled', { state: 'Ready', availableReplicas: 1 });
  await deploying.until('deployment/scaled  Ready');
  await scale('scaled', { availableReplicas: 2 });
  expect(await deploying.ended).toMatchObject({ exitCode: 0, out: `${api.url}/model/scaled\n` });
});

test.each(['Failed', 'Deleting'] as const)('a deployment that is %s ends the wait with 1', async (state) => {
  const id = state.toLowerCase();
  await apply(deployment(id));
  await scale(id, { state });
  expect(await slipway.run(['wait', 'deployment', id])).toMatchObject({ exitCode: 1, out: '' });
});

test('what has no run is as good as it gets', async () => {
  expect(await slipway.run(['wait', 'connection', 'code'])).toEqual({ exitCode: 0, out: '', err: '' });
  const file = await slipway.file(connection('waited'));
  expect(await slipway.run(['apply', '-f', file, '--wait'])).toMatchObject({ exitCode: 0, err: '' });
});

test('a resource that is deleted while it is waited for ends the wait with 4', async () => {
  await apply(training('removed'));
  const waiting = begin(slipway, ['wait', 'training/removed']);
  await waiting.until('training/removed  unknown');
  await api.trainings.remove('removed');
  expect((await waiting.ended).exitCode).toBe(4);
});

test('with --logs the log goes to standard error, and only the result to standard output', async () => {
  const running = begin(slipway, ['train', '-f', await slipway.file(training('logged')), '--wait', '--logs']);
  await running.until('training/logged created');
  const stored = await api.trainings.get('logged');
  if (stored === undefined) throw new Error('there is no training');
  const log = await api.logs.writer(logPrefix('training', stored));
  await move('logged', 'running', { startedAt: new Date().toISOString() });
  for (const text of ['INFO === train', 'epoch 1', 'loss {"x": 1}'])
    await log.append({ at: new Date().toISOString(), stream: 'stdout', text });
  await log.flush();
  await running.until('loss {"x": 1}');
  await log.finish({ exitCode: 0 });
  await move('logged', 'succeeded', { artifactName: 'logged.zip' });
  const { exitCode, out, err } = await running.ended;
  expect([exitCode, out]).toEqual([0, 'logged.zip\n']);
  expect(err).toContain('\nepoch 1\n');
  expect(err).not.toContain('===');
});

test('a server that restarts in between only delays the end', async () => {
  await apply(training('patient'));
  const { port, hostname } = new URL(api.url);
  const line = await createProxy({ host: hostname, port: Number(port) });
  const waiting = begin(slipway, ['wait', 'training', 'patient', '--server', `http://127.0.0.1:${line.port}`]);
  await waiting.until('training/patient  unknown');
  await line.cut();
  await move('patient', 'succeeded', { artifactName: 'x.zip' });
  await line.mend();
  expect(await waiting.ended).toMatchObject({ exitCode: 0, out: '' });
  await line.cut();
});

test('a server that stays away is given up after its time, and the run goes on', async () => {
  await apply(training('given-up'));
  const { port, hostname } = new URL(api.url);
  const line = await createProxy({ host: hostname, port: Number(port) });
  const clock = fastClock();
  let polls = 0;
  const pause = async (ms: number, signal?: AbortSignal) => {
    polls += 1;
    if (polls === 2) await line.cut();
    await clock.pause(ms * 20, signal);
  };
  const server = `http://127.0.0.1:${line.port}`;
  const ended = await slipway.run(['wait', 'training', 'given-up', '--server', server], { now: clock.now, pause });
  expect([ended.exitCode, ended.out]).toEqual([6, '']);
  expect(polls).toBeGreaterThan(3);
});

test('on a terminal the progress is a block that moves, which ends with the states', async () => {
  await apply(training('shown'));
  await move('shown', 'succeeded', {
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:00:51.000Z',
    artifactName: 'x.zip',
  });
  const texts = { out: '', err: '' };
  const capture = (name: 'out' | 'err') =>
    new PassThrough().on('data', (chunk: Buffer) => (texts[name] += String(chunk)));
  const exitCode = await runCli(['wait', 'training', 'shown'], {
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: capture('out'),
    stderr: Object.assign(capture('err'), { isTTY: true, columns: 100, rows: 30, hasColors: () => true }),
    env: { HOME: slipway.folder, SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['admin']) },
    ...{ fetch, signal: new AbortController().signal, version: '0.0.0-test' },
  });
  expect([exitCode, texts.out]).toEqual([0, '']);
  expect(texts.err).toContain('\u001b[32m');
  expect(stripVTControlCharacters(texts.err)).toMatch(
    /✓ training\/shown {2}✓?.*\n[^]*training\/shown succeeded after 51s/,
  );
});
