import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../cli/program.js';
import { createTerminal } from '../../cli/terminal.js';
import { sendJson, startReplyServer, type ReplyServer } from '../client/reply-server.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const TRAINING = 'kind: ModelTraining\nid: wine\nspec: {}\n';
/** One valid command line of each command that talks to a server. */
const ONLINE: readonly string[][] = [
  ['whoami'],
  ['apply', '-f', '-'],
  ['diff', '-f', '-'],
  ['get', 'trainings'],
  ['get', 'training', 'wine', '-o', 'json'],
  ['describe', 'training', 'wine'],
  ['lineage', 'training', 'wine'],
  ['record', 'order-7'],
  ['delete', 'training', 'wine'],
  ['train', 'wine'],
  ['pack', 'wine', '--from-training', 'wine'],
  ['deploy', 'wine', '--from-packaging', 'wine'],
  ['logs', 'training', 'wine'],
  ['cancel', 'training', 'wine'],
  ['rerun', 'training', 'wine'],
  ['rollout', 'status', 'wine'],
  ['rollout', 'pause', 'wine'],
  ['rollout', 'resume', 'wine'],
  ['rollout', 'promote', 'wine'],
  ['rollout', 'abort', 'wine'],
  ['rollout', 'history', 'wine'],
  ['rollout', 'undo', 'wine'],
  ['pipeline', 'run', 'wine'],
  ['pipeline', 'retry', 'wine-1'],
  ['pipeline', 'cancel', 'wine-1'],
  ['pipeline', 'webhook', 'wine'],
  ['approve', 'wine-1', '--reason', 'checked'],
  ['reject', 'wine-1', '--reason', 'too late'],
  ['schedule', 'next', 'wine'],
  ['schedule', 'pause', 'wine'],
  ['schedule', 'resume', 'wine'],
  ['schedule', 'trigger', 'wine'],
  ['scale', 'wine', '--max', '3'],
  ['suspend', 'wine'],
  ['resume', 'wine'],
  ['info', 'wine'],
  ['invoke', 'wine', '-d', '{}'],
  ['feedback', '--model', 'wine', '--model-version', '1', '--request-id', 'r', '-d', '{}'],
  ['rows', 'courses'],
  ['row', 'courses', '1'],
  ['import', 'courses', '-', '--format', 'csv'],
  ['imports', 'list', 'courses'],
  ['imports', 'describe', 'courses/imp_1'],
  ['imports', 'cancel', 'courses/imp_1'],
  ['subscription', 'list'],
  ['subscription', 'describe', 'sub_1'],
  ['subscription', 'pause', 'sub_1'],
  ['subscription', 'resume', 'sub_1'],
  ['subscription', 'probe', 'sub_1'],
  ['subscription', 'recover', 'sub_1'],
  ['subscription', 'recoveries', 'sub_1'],
  ['delivery', 'list'],
  ['delivery', 'describe', 'sub_1/1'],
  ['delivery', 'resend', 'sub_1/1'],
  ['delivery', 'confirm', 'sub_1/1'],
  ['delivery', 'cancel', 'sub_1/1'],
  ['audit'],
  ['verify', 'registry.example/wine:3'],
  ['connection', 'test', 'a'],
  ['health'],
  ['top', 'wine'],
  ['quota'],
];
/** Commands that wait for a server which is away: five minutes, by the clock of the command. */
const PATIENT_ONES: readonly string[][] = [
  ['wait', 'training', 'wine'],
  ['imports', 'wait', 'courses/imp_1'],
];

let server: ReplyServer;
let slipway: SlipwayRunner;
let status = 401;
beforeAll(async () => {
  server = await startReplyServer((_seen, response) => sendJson(response, status, { message: 'the reason' }));
  slipway = await createSlipwayRunner({});
});
afterAll(async () => {
  await server.stop();
  await slipway.remove();
});

function program(): Command {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  return createProgram({
    ...{ terminal: createTerminal({ stdout, stderr, env: {} }), env: {}, stdin: process.stdin, fetch, now: Date.now },
    ...{ pause: async () => undefined, patienceMs: 0 },
    ...{ signal: new AbortController().signal, version: '0.0.0-test' },
  });
}
const leaves = (command: Command, path: readonly string[] = []): string[][] =>
  command.commands.length === 0
    ? [[...path]]
    : command.commands
        .filter((child) => !child.name().startsWith('__'))
        .flatMap((child) => leaves(child, [...path, child.name()]));

test('the tables of these tests name every command', () => {
  const offline = [
    ['init'],
    ['explain'],
    ['schema'],
    ['login'],
    ['logout'],
    ['config'],
    ['doctor'],
    ['secrets', 'rekey'],
    ['secrets', 'codec'],
    ['completion'],
    ['help'],
  ];
  const known = [...ONLINE, ...PATIENT_ONES, ...offline].map((words) => words.join(' '));
  const unknown = leaves(program()).filter(
    (path) => !known.some((words) => `${words} `.startsWith(`${path.join(' ')} `)),
  );
  expect(unknown).toEqual([]);
});

test.each(ONLINE)(
  'without a server and without a login, nothing is sent and nothing printed: %s %s %s',
  async (...args) => {
    const nowhere = await slipway.run(args, { stdin: TRAINING });
    expect([nowhere.exitCode, nowhere.out]).toEqual([2, '']);
    const before = server.seen.length;
    const stranger = await slipway.run([...args, '--server', server.url], { stdin: TRAINING });
    expect([stranger.exitCode, stranger.out, server.seen.length - before]).toEqual([3, '', 0]);
    expect(stranger.err).toContain(server.url);
  },
);

const connected = (args: readonly string[], more: object = {}) =>
  slipway.run(args, {
    env: { SLIPWAY_SERVER: server.url, SLIPWAY_TOKEN: 't' },
    stdin: TRAINING,
    ...more,
  });

test.each([...ONLINE, ...PATIENT_ONES])('a refused token ends with 3 and prints no data: %s %s %s', async (...args) => {
  status = 401;
  const { exitCode, out, err } = await connected(args);
  expect([exitCode, out]).toEqual([3, '']);
  expect(err).toContain('the reason');
  expect(err).not.toMatch(/\n {4}at /);
});

test.each(ONLINE)('a server in trouble ends with 1 and prints no data: %s %s %s', async (...args) => {
  status = 500;
  const { exitCode, out, err } = await connected(args);
  expect([exitCode, out]).toEqual([1, '']);
  expect(err).toContain('status 500');
});

test.each([...ONLINE, ...PATIENT_ONES])(
  'a server that is away ends with 6 and prints no data: %s %s %s',
  async (...args) => {
    let time = 0;
    const clock = { now: () => time, pause: async (ms: number) => void (time += ms * 100) };
    const env = { SLIPWAY_SERVER: 'http://127.0.0.1:9', SLIPWAY_TOKEN: 't' };
    const { exitCode, out, err } = await slipway.run(args, { env, stdin: TRAINING, ...clock });
    expect([exitCode, out]).toEqual([6, '']);
    expect(err).toContain('http://127.0.0.1:9');
  },
);

test('every command has help on standard output, with its options and an example', async () => {
  for (const path of leaves(program()).filter(([name]) => name !== 'help')) {
    const { exitCode, out, err } = await slipway.run([...path, '--help']);
    expect([path, exitCode, err]).toEqual([path, 0, '']);
    expect(out).toContain(`slipway ${path.join(' ')}`);
    expect(out).toContain('--server <url>');
    if (path[0] !== 'config') expect(out).toContain('Example');
  }
});

test.each([
  [['--version'], 0, '0.0.0-test\n'],
  [['-V'], 0, '0.0.0-test\n'],
])('%j prints the version alone', async (args, exitCode, out) => {
  expect(await slipway.run(args)).toEqual({ exitCode, out, err: '' });
});

test('help of the program lists the exit codes, and help of a command is that of --help', async () => {
  const { out } = await slipway.run(['--help']);
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 130]) expect(out).toMatch(new RegExp(`^ +${code} {2,}\\S`, 'm'));
  expect(await slipway.run(['help', 'get'])).toEqual(await slipway.run(['get', '--help']));
});

test.each([
  [[]],
  [['gte', 'trainings']],
  [['get', 'trainings', '--wacth']],
  [['pipeline']],
  [['pipeline', 'start']],
  [['schedule', 'pause']],
  [['approve', 'wine-1']],
  [['invoke']],
  [['wait']],
  [['whoami', 'me']],
  [['deploy', 'wine', '--replicas', 'many']],
  [['deploy', 'wine', '--image', 'x', '--from-packaging', 'y']],
  [['pack', 'wine', '--artifact', 'x', '--from-training', 'y']],
  [['lineage', 'training', 'wine', '--direction', 'sideways']],
  [['schedule', 'next', 'wine', '--count', '0']],
  [['get', 'trainings', '-o', 'xml']],
])('the command line %j is refused with 2, on standard error alone', async (args) => {
  const before = server.seen.length;
  const { exitCode, out, err } = await connected(args);
  expect([exitCode, out, server.seen.length]).toEqual([2, '', before]);
  expect(err).not.toBe('');
});

test('--verbose logs each request on standard error, and data stay clean', async () => {
  status = 404;
  const { exitCode, out, err } = await connected(['get', 'training', 'wine', '-o', 'json', '--verbose']);
  expect([exitCode, out]).toEqual([4, '']);
  expect(err).toMatch(/^GET http:\S+\/training\/wine 404 \d+ ms$/m);
  const away = await slipway.run(['whoami', '--verbose', '--server', 'http://127.0.0.1:9'], {
    env: { SLIPWAY_TOKEN: 'hidden' },
  });
  expect(away.err).toMatch(/^GET http:\S+ no reply \d+ ms$/m);
  expect(away.err).not.toContain('hidden');
});
