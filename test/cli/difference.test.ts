import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entity } from '../../client/index.js';
import { differenceOf, paintDifference } from '../../cli/manifest/difference.js';
import { exitCodeOf, EXIT_CODES } from '../../cli/exit-codes.js';
import { explain, OperationFailed } from '../../cli/failure.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { PipelineSpec } from '../../lifecycle/kinds/pipeline.js';
import { newPipeline } from '../activities/shared/resources.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let api: TestApi;
let slipway: SlipwayRunner;
let schedule: { paused: boolean; note: string; next: string[]; skipped: number; missed: number };
beforeAll(async () => {
  const none = async () => undefined;
  const schedules = { reconcile: async () => true, remove: none, trigger: none, describe: async () => schedule };
  api = await startTestApi({ schedules });
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['admin']) });
  await api.pipelines.insert({
    ...newPipeline('timed'),
    spec: PipelineSpec.parse({ triggers: { schedule: { cron: '0 3 * * 1', timeZone: 'UTC' } } }),
  });
});
afterAll(async () => {
  await api.stop();
  await slipway.remove();
});

const planned = (current: object | undefined, desired: Record<string, unknown>) => ({
  document: {
    ...{ kind: 'Connection' as const, id: 'code', body: { kind: 'Connection' as const, id: 'code', spec: {} } },
    ...{ where: 'x.yaml:1', at: () => 'x.yaml:1' },
  },
  current: current === undefined ? undefined : ({ kind: 'Connection', id: 'code', spec: current } as unknown as Entity),
  desired,
  change: current === undefined ? ('created' as const) : ('updated' as const),
});
const changes = (text: string) => text.split('\n').filter((line) => /^[-+](?![-+])/.test(line));

test('a new document is all additions, beside nothing', () => {
  const text = differenceOf(planned(undefined, { type: 'git', uri: 'x' }));
  expect(text.split('\n').slice(0, 2)).toEqual(['--- /dev/null', '+++ manifest/connection/code']);
  expect(changes(text)).toEqual(['+kind: Connection', '+id: code', '+spec:', '+  type: git', '+  uri: x']);
});

test.each([
  [
    'fields in another order',
    { type: 'git', uri: 'x', deep: { a: 1, b: 2 } },
    { deep: { b: 2, a: 1 }, uri: 'x', type: 'git' },
    [],
  ],
  ['a changed field', { type: 'git', uri: 'x' }, { uri: 'y', type: 'git' }, ['-  uri: x', '+  uri: y']],
  ['a field that is gone', { type: 'git', uri: 'x' }, { uri: 'x' }, ['-  type: git']],
  ['a new field', { uri: 'x' }, { note: 'n', uri: 'x' }, ['+  note: n']],
  ['a text that looks like a number', { uri: '1' }, { uri: '1.0' }, ['-  uri: "1"', '+  uri: "1.0"']],
  ['lists in another order', { list: [1, 2] }, { list: [2, 1] }, ['-    - 1', '+    - 1']],
])('the difference of %s is shown by the order of the server', (_name, current, desired, expected) => {
  expect(changes(differenceOf(planned(current, desired))).toSorted()).toEqual(expected.toSorted());
});

test('each kind of line has its color, and the text is the same without them', () => {
  const text = differenceOf(planned({ uri: 'x' }, { uri: 'y' }));
  const painted = paintDifference(text, (style, line) => `<${String(style)}>${line}`);
  const styles = painted.split('\n').map((line) => /^<(\w+)>/.exec(line)?.[1]);
  expect(new Set(styles)).toEqual(new Set(['bold', 'cyan', undefined, 'red', 'green']));
  expect(painted.replaceAll(/^<\w+>/gm, '')).toBe(text);
});

const AHEAD = ['2026-01-05T03:00:00.000Z', '2026-01-12T03:00:00.000Z', '2026-01-19T03:00:00.000Z'];
const now = () => Date.parse('2026-01-05T00:30:00.000Z');
test.each([
  [
    'goes on',
    { paused: false, next: AHEAD, skipped: 0, missed: 0 },
    ['in 2h30m', 'in 7d2h', 'in 14d2h'],
    /^"0 3 \* \* 1" in UTC, /,
  ],
  ['is paused', { paused: true, next: [], skipped: 0, missed: 0, note: 'by hand' }, [], /, paused.*by hand/],
  ['has no time to come', { paused: false, next: [], skipped: 0, missed: 0 }, [], /UTC, no time to come$/m],
  [
    'lost some',
    { paused: false, next: AHEAD, skipped: 2, missed: 1 },
    ['in 2h30m', 'in 7d2h', 'in 14d2h'],
    /, 2 left out, 1 missed$/m,
  ],
])('a schedule that %s shows its next times as data, and the rest beside them', async (_name, given, times, note) => {
  schedule = { note: '', ...given };
  const { exitCode, out, err } = await slipway.run(['schedule', 'next', 'timed'], { now });
  expect([exitCode, out.split('\n').flatMap((line) => /in \S+$/.exec(line)?.[0] ?? [])]).toEqual([0, times]);
  expect(err).toMatch(note);
});

test('at most so many times are shown, and JSON has them all', async () => {
  schedule = { paused: false, note: '', next: AHEAD, skipped: 0, missed: 0 };
  expect((await slipway.run(['schedule', 'next', 'timed', '--count', '1'])).out.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse((await slipway.run(['schedule', 'next', 'timed', '-o', 'json'])).out)).toMatchObject({
    next: AHEAD,
  });
});

test.each([
  [new OperationFailed(), 1, undefined],
  [new OperationFailed(5), 5, undefined],
  [new SlipwayError('validation_failed', 'the reason'), 2, 'the reason'],
  [new SlipwayError('not_finished', 'the reason'), 5, 'the reason'],
  [new SlipwayError('unauthenticated', 'the reason'), 3, 'the reason'],
  [new TypeError('x is undefined'), 1, 'x is undefined'],
  ['a text', 1, 'a text'],
])('the error %s ends with %i and says "%s"', (error, exitCode, text) => {
  const explained = explain(error);
  expect(explained.exitCode).toBe(exitCode);
  if (text === undefined) expect(explained.message).toBeUndefined();
  else expect(explained.message).toContain(text);
});

test('exit codes are different, and an unknown word of a later server is a failure', () => {
  const codes = EXIT_CODES.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  expect(['a_word_of_tomorrow', 'toString', ''].map(exitCodeOf)).toEqual([1, 1, 1]);
});
