import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVerifyCaller } from '../../gateway/caller.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { newDeployment } from '../activities/shared/resources.js';
import { shut, startEdge, startModel, wine } from '../gateway/edge.js';
import { wineInfo } from '../gateway/wine-info.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const LARGE = '{"prediction":[9007199254740993,1.50],"columns":["quality"]}';

/** The document of a model, with a sample or without a way to be invoked. */
function info(hasSample: boolean) {
  const { paths, ...rest } = wineInfo(true);
  return { ...rest, paths: hasSample ? paths : {} };
}

/** The front door: a gateway before the API and a model. */
let api: TestApi;
let edge: Awaited<ReturnType<typeof startEdge>>;
let model: Awaited<ReturnType<typeof startModel>>;
let slipway: SlipwayRunner;
let answer: { status?: number; headers?: Record<string, string>; body?: string } = {};
beforeAll(async () => {
  api = await startTestApi();
  model = await startModel(({ method, headers }) =>
    method === 'GET' ? { body: JSON.stringify(info(headers['x-forwarded-prefix'] === '/model/wine')) } : answer,
  );
  edge = await startEdge(
    [
      wine([model.url]),
      wine([model.url], { id: 'bare' }),
      wine([], { id: 'empty' }),
      wine(['http://127.0.0.1:9'], { id: 'dead' }),
    ],
    {
      apiUrl: api.url,
      verify: createVerifyCaller({ issuer: api.issuer, audience: ['slipway'], roleClaims: ['roles'] }),
    },
  );
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: edge.url, SLIPWAY_TOKEN: await api.token(['data_scientist']) });
  const ready = newDeployment('wine', { image: 'r/wine:1' });
  await api.deployments.insert({
    ...ready,
    status: { ...ready.status, modelName: 'wine model', modelVersion: '1.0' },
  });
  await api.deployments.insert(newDeployment('early', { image: 'r/wine:1' }));
});
afterAll(async () => {
  await edge.stop();
  await shut(model.server);
  await api.stop();
  await slipway.remove();
});

const run = (args: string[], options: Parameters<SlipwayRunner['run']>[1] = {}) => slipway.run(args, options);
const called = () => model.calls.filter(({ method }) => method === 'POST');

test('a prediction is printed as the model wrote it, and everything else goes to standard error', async () => {
  answer = { body: `${LARGE}\n\n` };
  const { exitCode, out, err } = await run([
    'invoke',
    'wine',
    '-d',
    '{"data":[[12345678901234567890]]}',
    '--request-id',
    'r-1',
  ]);
  expect([exitCode, out]).toEqual([0, `${LARGE}\n`]);
  for (const fact of ['wine model', '1.0', 'r-1']) expect(err).toContain(fact);
  expect(called().at(-1)?.body).toBe('{"data":[[12345678901234567890]]}');
  expect(called().at(-1)?.headers).toMatchObject({ 'request-id': 'r-1', 'content-type': 'application/json' });
});

test('the body comes from a file, from standard input, or from the sample of the model', async () => {
  answer = { body: '{}' };
  const file = await slipway.file('{"from": "a file"}', 'rows.json');
  const sample = JSON.stringify({ columns: ['alcohol', 'pH'], data: [[9.4, 3.51]] });
  const cases: [string[], string, string][] = [
    [['-f', file], '', '{"from": "a file"}'],
    [['-f', '-'], '{"from": "standard input"}\n', '{"from": "standard input"}'],
    [['--sample'], '', sample],
  ];
  for (const [args, stdin, body] of cases) {
    expect(await run(['invoke', 'wine', ...args], { stdin })).toMatchObject({ exitCode: 0, out: '{}\n' });
    expect(called().at(-1)?.body).toBe(body);
  }
});

test('the sample of a model can be changed and sent', async () => {
  const { out } = await run(['info', 'wine', '--sample']);
  expect(JSON.parse(out)).toEqual({ columns: ['alcohol', 'pH'], data: [[9.4, 3.51]] });
  expect((await run(['invoke', 'wine', '-f', '-'], { stdin: out })).exitCode).toBe(0);
  expect(JSON.parse(called().at(-1)?.body ?? '')).toEqual(JSON.parse(out));
});

test('a model is summarized; its whole document is data', async () => {
  expect((await run(['info', 'wine'])).out.replaceAll(/ {2,}/g, '  ')).toBe(
    [
      'model  wine model 1.0',
      'address  /model/wine',
      'sample  {"columns":["alcohol","pH"],"data":[[9.4,3.51]]}',
      'try  slipway invoke wine --sample',
      'document  slipway info wine -o json',
      '',
    ].join('\n'),
  );
  expect((await run(['info', 'bare'])).out).not.toContain('sample');
  const whole = JSON.parse((await run(['info', 'wine', '-o', 'json'])).out) as object;
  expect(whole).toMatchObject({ openapi: '3.0.3', paths: expect.anything() });
  expect((await run(['info', 'wine', '-o', 'json', '--sample'])).exitCode).toBe(2);
});

test('a model without a sample says so', async () => {
  for (const args of [
    ['info', 'bare', '--sample'],
    ['invoke', 'bare', '--sample'],
  ]) {
    expect(await run(args)).toMatchObject({ exitCode: 4, out: '' });
  }
});

// prettier-ignore
test.each<[string, string[], string]>([
  ['no body', ['invoke', 'wine'], '-d, -f or --sample'],
  ['a body that is no JSON', ['invoke', 'wine', '-d', '{"data": }'], '--data'],
  ['a file that does not exist', ['invoke', 'wine', '-f', join('absent', 'rows.json')], 'absent'],
  ['an empty standard input', ['invoke', 'wine', '-f', '-'], 'standard input is empty'],
  ['two bodies', ['invoke', 'wine', '-d', '{}', '-f', 'rows.json'], '--data'],
  ['a body and the sample', ['invoke', 'wine', '-d', '{}', '--sample'], '--sample'],
  ['no deployment', ['invoke'], 'deployment'],
  ['feedback without a body', ['feedback', 'wine', '--request-id', 'r'], '-d or -f'],
  ['feedback without a request', ['feedback', 'wine', '-d', '{}'], '--request-id'],
  ['feedback of no model', ['feedback', '--request-id', 'r', '-d', '{}'], '--model'],
  ['feedback of a model without version', ['feedback', '--model', 'wine', '--request-id', 'r', '-d', '{}'], '--model-version'],
])('%s is refused with 2 before a request is sent', async (_name, args, reason) => {
  const before = model.calls.length;
  const { exitCode, out, err } = await run(args);
  expect([exitCode, out]).toEqual([2, '']);
  expect(err).toContain(reason);
  expect(model.calls).toHaveLength(before);
});

test.each([
  ['a deployment that does not exist', 'absent', 4],
  ['a deployment without replicas', 'empty', 6],
  ['a replica that is away', 'dead', 6],
])('%s ends with its exit code, and nothing on standard output', async (_name, id, exitCode) => {
  const ended = await run(['invoke', id, '-d', '{}']);
  expect([ended.exitCode, ended.out]).toEqual([exitCode, '']);
  expect(ended.err).toMatch(/^Error: .*request /);
});

test('what the model refuses is the error of the command', async () => {
  answer = { status: 400, body: JSON.stringify({ message: 'column "ash" is missing' }) };
  const { exitCode, out, err } = await run(['invoke', 'wine', '-d', '{}']);
  expect([exitCode, out]).toEqual([2, '']);
  expect(err).toContain('column "ash" is missing');
  answer = { status: 500, body: 'Traceback' };
  expect((await run(['invoke', 'wine', '-d', '{}'])).exitCode).toBe(1);
});

test('a role without access to the model is refused, the role of the deployment is let in', async () => {
  answer = { body: '{}' };
  const as = async (role: string) => ({ env: { SLIPWAY_TOKEN: await api.token([role]) } });
  expect((await run(['invoke', 'wine', '-d', '{}'], await as('viewer'))).exitCode).toBe(3);
  expect((await run(['invoke', 'wine', '-d', '{}'], await as('wine-callers'))).exitCode).toBe(0);
});

test('feedback is recorded with the request and the model that answered', async () => {
  answer = { body: '{}' };
  await run(['invoke', 'wine', '-d', '{}', '--request-id', 'order-7']);
  const file = await slipway.file('{"quality": 6}');
  const sent = await run(['feedback', 'wine', '--request-id', 'order-7', '-f', file]);
  expect([sent.exitCode, sent.err]).toEqual([0, '']);
  expect(() => JSON.parse(sent.out)).not.toThrow();
  const named = ['--model', 'wine model', '--model-version', '1.0'];
  expect((await run(['feedback', ...named, '--request-id', 'order-8', '-d', '{"quality": 1}'])).exitCode).toBe(0);
  const frames = await edge.frames();
  const feedback = frames.filter(({ head }) => head.kind === 'feedback');
  expect(feedback.map(({ head }) => head)).toMatchObject([{ requestId: 'order-7' }, { requestId: 'order-8' }]);
});

test.each([
  ['early', 5],
  ['absent', 4],
])('feedback for the deployment %s, whose model is not known, ends with %i', async (id, exitCode) => {
  expect(await run(['feedback', id, '--request-id', 'r', '-d', '{}'])).toMatchObject({ exitCode, out: '' });
});

test('through the front door the other commands reach the API', async () => {
  expect((await run(['get', 'deployments', '-o', 'name'])).out).toBe('deployment/early\ndeployment/wine\n');
  expect(JSON.parse((await run(['whoami', '-o', 'json'])).out)).toMatchObject({
    server: edge.url,
    roles: ['data_scientist'],
  });
});
