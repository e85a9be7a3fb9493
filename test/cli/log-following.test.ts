import { afterAll, beforeAll, expect, test } from 'vitest';
import { logPrefix } from '../../platform/kinds/ids.js';
import { newDeployment, newPackaging, newTraining } from '../activities/shared/resources.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createProxy } from '../platform/stores/proxy.js';
import { begin } from './begin.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const AT = '2026-01-01T00:00:00.000Z';
let api: TestApi;
let slipway: SlipwayRunner;
beforeAll(async () => {
  api = await startTestApi();
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['viewer']) });
});
afterAll(async () => {
  await api.stop();
  await slipway.remove();
});

const lines = (...texts: string[]) => texts.map((text) => ({ at: AT, stream: 'stdout' as const, text }));
type Writer = Awaited<ReturnType<TestApi['logs']['writer']>>;
async function append(writer: Writer, ...texts: string[]): Promise<void> {
  for (const line of lines(...texts)) await writer.append(line);
  await writer.flush();
}

/** A running training with a log. */
async function training(id: string, ...texts: string[]) {
  const made = newTraining(id);
  await api.trainings.insert({ ...made, status: { ...made.status, state: 'running' } });
  const writer = await api.logs.writer(logPrefix('training', made));
  await append(writer, ...texts);
  const end = async (): Promise<void> => {
    await writer.finish({ exitCode: 0 });
    await api.trainings.update(id, (each) => ({ ...each, status: { ...each.status, state: 'succeeded' } }));
  };
  return { write: (...more: string[]) => append(writer, ...more), end };
}

/** A deployment with a log for each of its replicas. */
async function deployment(id: string, generation: number, replicas: Record<string, string[]>) {
  const made = { ...newDeployment(id, { minReplicas: 1, maxReplicas: 2 }), generation };
  if (generation === 1) await api.deployments.insert(made);
  const stored = (await api.deployments.get(id)) ?? made;
  for (const [replica, texts] of Object.entries(replicas)) {
    const writer = await api.logs.writer(logPrefix('deployment', { ...stored, generation }, replica));
    await append(writer, ...texts);
    await writer.finish({ exitCode: 0 });
  }
}

async function through(line: { port: number }, ...args: string[]) {
  return begin(slipway, [...args, '--server', `http://127.0.0.1:${line.port}`]);
}
const cutLine = () => {
  const { port, hostname } = new URL(api.url);
  return createProxy({ host: hostname, port: Number(port) });
};

test('a log whose connection breaks in the middle goes on without a line twice or missing', async () => {
  const { write, end } = await training('broken', 'one', 'two');
  const line = await cutLine();
  const following = await through(line, 'logs', '-f', 'training', 'broken');
  await following.until('two\n');
  await line.cut();
  await following.until('connection lost, reconnecting');
  await write('three');
  await line.mend();
  await following.until('three\n');
  await line.cut();
  await write('four');
  await end();
  await line.mend();
  const { exitCode, out, err } = await following.ended;
  expect([exitCode, out]).toEqual([0, 'one\ntwo\nthree\nfour\n']);
  expect(err.match(/connection lost, reconnecting\nreconnected\n/g)).toHaveLength(2);
  await line.cut();
});

test('without -f a connection that is away is an error at once', async () => {
  await training('short', 'one');
  const line = await cutLine();
  await line.cut();
  const ended = await (await through(line, 'logs', 'training/short')).ended;
  expect([ended.exitCode, ended.out]).toEqual([6, '']);
});

test('Ctrl-C ends the following with 130, and what was printed stays', async () => {
  await training('interrupted', 'one', 'two');
  const stop = new AbortController();
  const following = begin(slipway, ['logs', '-f', 'training/interrupted'], stop.signal);
  await following.until('two\n');
  stop.abort();
  expect(await following.ended).toEqual({ exitCode: 130, out: 'one\ntwo\n', err: '' });
});

test.each([
  ['0', ''],
  ['2', 'two\nthree\n'],
  ['99', 'one\ntwo\nthree\n'],
])('--tail %s prints at most so many of the last lines', async (tail, out) => {
  if ((await api.trainings.get('tailed')) === undefined) await (await training('tailed', 'one', 'two', 'three')).end();
  expect(await slipway.run(['logs', 'training', 'tailed', '--tail', tail])).toEqual({ exitCode: 0, out, err: '' });
});

test('--tail with -f begins with the last lines and goes on', async () => {
  const { write, end } = await training('both', 'one', 'two');
  const following = begin(slipway, ['logs', '-f', 'training/both', '--tail', '1']);
  await following.until('two\n');
  await write('three');
  await end();
  expect((await following.ended).out).toBe('two\nthree\n');
});

test('lines come as they were written: long ones, empty ones, other alphabets, spaces at the end', async () => {
  const texts = ['x'.repeat(70_000), '', '  ärger 葡萄 🍷  ', '\ttab', '[not a replica] but a text'];
  await (await training('letters', ...texts)).end();
  expect((await slipway.run(['logs', 'training', 'letters'])).out).toBe(`${texts.join('\n')}\n`);
});

test('the replicas of a deployment name themselves before each line, and one can be asked for alone', async () => {
  await deployment('wine', 1, { r0: ['zero a', 'zero b'], r1: ['one a', 'one b'] });
  const { out } = await slipway.run(['logs', 'deployment', 'wine']);
  const of = (replica: string) => out.split('\n').filter((text) => text.startsWith(`[${replica}] `));
  expect([of('r0'), of('r1')]).toEqual([
    ['[r0] zero a', '[r0] zero b'],
    ['[r1] one a', '[r1] one b'],
  ]);
  const tail = (await slipway.run(['logs', 'deployment/wine', '--tail', '1'])).out;
  expect(tail.trim().split('\n').sort()).toEqual(['[r0] zero b', '[r1] one b']);
  const alone = (await slipway.run(['logs', 'deployment/wine', '--replica', 'r1'])).out;
  expect(
    alone
      .trim()
      .split('\n')
      .map((text) => text.replace(/^\[r1\] /, '')),
  ).toEqual(['one a', 'one b']);
});

test('--previous prints what the replicas before the last change wrote', async () => {
  await deployment('changed', 1, { r0: ['of the first'] });
  await api.deployments.update('changed', (each) => ({ ...each, generation: 2 }));
  await deployment('changed', 2, { r0: ['of the second'] });
  expect((await slipway.run(['logs', 'deployment', 'changed'])).out).toContain('of the second');
  const previous = (await slipway.run(['logs', 'deployment', 'changed', '--previous'])).out;
  expect(previous).toContain('of the first');
  expect(previous).not.toContain('of the second');
});

test('a packaging has a log as a training has', async () => {
  const made = newPackaging('packed');
  await api.packagings.insert({ ...made, status: { ...made.status, state: 'succeeded' } });
  const writer = await api.logs.writer(logPrefix('packaging', made));
  await append(writer, 'step 1', 'step 2');
  await writer.finish({ exitCode: 0 });
  expect((await slipway.run(['logs', 'pk/packed'])).out).toBe('step 1\nstep 2\n');
});

test.each<[string[], number]>([
  [['logs', 'training', 'absent'], 4],
  [['logs', '-f', 'training', 'absent'], 4],
  [['logs', 'route', 'wine'], 2],
  [['logs', 'training'], 2],
  [['logs', 'training/a', 'training/b'], 2],
  [['logs', 'training', 'letters', '--tail', 'all'], 2],
  [['logs', 'training', 'letters', '--tail', '-1'], 2],
])('%j ends with %i and prints no line', async (args, exitCode) => {
  expect(await slipway.run(args)).toMatchObject({ exitCode, out: '' });
});
