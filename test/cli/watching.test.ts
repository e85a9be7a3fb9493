import { expect, test } from 'vitest';
import { createProxy } from '../platform/stores/proxy.js';
import { newTraining } from '../activities/shared/resources.js';
import { TrainingSpec } from '../../lifecycle/kinds/training.js';
import type { RunState } from '../../platform/kinds/run-status.js';
import { begin } from './begin.js';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();

const SPEC = TrainingSpec.parse({ model: { name: 'wine', version: '1' } });
const insert = (id: string) => api.trainings.insert(newTraining(id, SPEC));
const move = (id: string, state: RunState, more: object = {}) =>
  api.trainings.update(id, (each) => ({ ...each, status: { ...each.status, ...more, state } }));
const cells = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/).slice(0, 2));

test('what is named ends the watch when all of it is deleted', async () => {
  for (const id of ['red', 'white']) await insert(id);
  const watching = begin(slipway, ['get', 'trainings', 'red', 'white', '-w']);
  await watching.until('white');
  await api.trainings.remove('red');
  await watching.until('training/red is deleted');
  await move('white', 'running');
  await watching.until('running');
  await api.trainings.remove('white');
  const { exitCode, out, err } = await watching.ended;
  expect([exitCode, cells(out)]).toEqual([
    0,
    [
      ['ID', 'STATE'],
      ['red', 'unknown'],
      ['white', 'unknown'],
      ['white', 'running'],
    ],
  ]);
  expect(err).toBe('training/red is deleted\ntraining/white is deleted\n');
});

test('a whole kind is watched with what comes and goes, each change once', async () => {
  await insert('first');
  const stop = new AbortController();
  const watching = begin(slipway, ['get', 'trainings', '--watch', '-o', 'name'], stop.signal);
  await watching.until('training/first\n');
  await insert('second');
  await watching.until('training/second\n');
  await move('first', 'running');
  await watching.until('training/second\ntraining/first\n');
  await api.trainings.remove('first');
  await watching.until('training/first is deleted');
  await insert('first');
  await watching.until('deleted\ntraining/first\n');
  stop.abort();
  const { exitCode, out } = await watching.ended;
  expect(exitCode).toBe(130);
  expect(out).toBe('training/first\ntraining/second\ntraining/first\ntraining/first\n');
  for (const id of ['first', 'second']) await api.trainings.remove(id);
});

test('with --state only changes into these states are shown', async () => {
  await insert('filtered');
  const stop = new AbortController();
  const watching = begin(
    slipway,
    ['get', 'training/filtered', '-w', '--state', 'failed', '-o', 'jsonpath=$.status.state'],
    stop.signal,
  );
  await move('filtered', 'running');
  await move('filtered', 'failed', { reason: 'ToolchainFailed' });
  await watching.until('failed\n');
  stop.abort();
  expect((await watching.ended).out).toBe('failed\n');
  await api.trainings.remove('filtered');
});

test('as JSON each change is a document of its own', async () => {
  await insert('json');
  const stop = new AbortController();
  const watching = begin(slipway, ['get', 'training', 'json', '-w', '-o', 'json'], stop.signal);
  await watching.until('"unknown"');
  await move('json', 'running');
  await watching.until('"running"');
  stop.abort();
  const { out } = await watching.ended;
  const documents = out.split(/(?<=^\})\n/m).filter(Boolean);
  expect(documents.map((text) => JSON.parse(text).status.state)).toEqual(['unknown', 'running']);
  await api.trainings.remove('json');
});

test('a server that restarts is waited for, and what changed meanwhile is shown', async () => {
  await insert('restart');
  const { port, hostname } = new URL(api.url);
  const line = await createProxy({ host: hostname, port: Number(port) });
  const stop = new AbortController();
  const server = `http://127.0.0.1:${line.port}`;
  const watching = begin(slipway, ['get', 'training', 'restart', '-w', '--server', server], stop.signal);
  await watching.until('unknown');
  await line.cut();
  await watching.until('the server does not answer');
  await move('restart', 'succeeded');
  await line.mend();
  await watching.until('succeeded');
  stop.abort();
  expect((await watching.ended).exitCode).toBe(130);
  await line.cut();
  await api.trainings.remove('restart');
});

test.each([
  [['get', 'training', 'absent', '-w'], 4],
  [['get', 'trainings', '-w', '--filter', 'model_name=wine'], 2],
  [['get', '-w'], 2],
  [['get', 'trainings', '-w', '-f', 'x.yaml'], 2],
])('%j cannot be watched', async (args, exitCode) => {
  expect(await slipway.run(args)).toMatchObject({ exitCode, out: '' });
});

test('columns keep the width of the first lines, so that a long state moves only its own line', async () => {
  await insert('w');
  const watching = begin(slipway, ['get', 'training', 'w', '-w']);
  await watching.until('unknown');
  await move('w', 'scheduling');
  await watching.until('scheduling');
  await api.trainings.remove('w');
  const [head = '', ...lines] = (await watching.ended).out.trimEnd().split('\n');
  expect(lines.map((line) => line.indexOf('wine:1'))).toEqual(lines.map(() => head.indexOf('MODEL')));
});

const others = async () => {
  await insert('listed');
  const spec = { ...SPEC, toolchain: 'ml-toolchain' };
  await api.trainings.insert(newTraining('other', { ...spec, model: { ...SPEC.model, name: 'iris' } }));
};
test.each([
  [['--filter', 'model_name=wine'], ['listed']],
  [
    ['--filter', 'model_name=wine', 'model_name=iris'],
    ['listed', 'other'],
  ],
  [['--filter', 'model_name=wine', '--state', 'failed'], []],
  [['--filter', 'toolchain=ml-toolchain'], ['other']],
])('a list with %j holds %j', async (args, ids) => {
  if ((await api.trainings.get('listed')) === undefined) await others();
  const { exitCode, out } = await slipway.run(['get', 'trainings', '-o', 'jsonpath=$[*].id', ...args]);
  expect([exitCode, out.split('\n').filter(Boolean)]).toEqual([0, ids]);
});

test.each([[['--filter', 'model_name']], [['--filter', '=wine']], [['--filter', 'color=red']]])(
  'a list with %j is refused with 2',
  async (args) => {
    expect(await slipway.run(['get', 'trainings', ...args])).toMatchObject({ exitCode: 2, out: '' });
  },
);
