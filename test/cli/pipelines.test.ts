import { beforeAll, expect, test } from 'vitest';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { logPrefix } from '../../platform/kinds/ids.js';
import { TrainingSpec } from '../../lifecycle/kinds/training.js';
import type { PipelineRunStatus, PipelineStep } from '../../lifecycle/kinds/pipeline-run.js';
import { newTraining } from '../activities/shared/resources.js';
import { begin } from './begin.js';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();
beforeAll(async () => {
  await api.call('POST', '/api/v1/connection', {
    body: { id: 'code', spec: { type: 'git', uri: 'https://example.org/x.git' } },
  });
});

const manifest = (id: string, more = '') => `
kind: ModelPipeline
id: ${id}
spec:
  parameters: { alpha: "0.5" }
  training:
    model: { name: wine, version: "{{ version }}" }
    toolchain: ml-toolchain
    algorithmSource: { vcs: { connection: code } }
    hyperParameters: { alpha: "{{ parameters.alpha }}" }
  packaging: { integrationName: container-rest }
  ${more}
`;
const deployed = (id: string, more: string) =>
  `deployment: { id: ${id}, spec: { predictor: platform-ml-server } }
  ${more}`;
async function apply(id: string, more?: string): Promise<void> {
  expect(await slipway.run(['apply', '-f', await slipway.file(manifest(id, more))])).toMatchObject({ err: '' });
}
const run = (...args: string[]) => slipway.run(args);

const AT = '2026-01-01T00:00:00.000Z';
const step = (name: PipelineStep['name'], state: PipelineStep['state'], more: Partial<PipelineStep> = {}) => ({
  ...{ name, state, startedAt: AT },
  ...more,
});
/** Moves a run as its workflow would. */
const move = (id: string, status: Partial<PipelineRunStatus>) =>
  api.pipelineRuns.update(id, (each) => ({ ...each, status: { ...each.status, ...status } }));

test('a pipeline is applied, shown, compared and deleted as every other kind', async () => {
  const file = await slipway.file(manifest('shown', 'triggers: { schedule: { cron: "0 3 * * 1" } }'));
  expect((await run('apply', '-f', file)).out).toBe('pipeline/shown created\n');
  expect((await run('apply', '-f', file)).out).toBe('pipeline/shown unchanged\n');
  expect(await run('diff', '-f', file)).toEqual({ exitCode: 0, out: '', err: '' });
  expect((await run('get', 'pipelines', 'shown')).out).toMatch(
    /ID +MODEL +RUNS +SCHEDULE .*\nshown +wine +0 +0 3 \* \* 1 /,
  );
  const again = (await run('get', 'pl', 'shown', '-o', 'yaml')).out;
  expect((await slipway.run(['apply', '-f', '-'], { stdin: again })).out).toBe('pipeline/shown unchanged\n');
  await run('pipeline', 'run', 'shown');
  const { out } = await run('describe', 'pipeline', 'shown');
  expect(out).toMatch(/packager +container-rest\n/);
  expect(out).toMatch(/schedule +0 3 \* \* 1 UTC\n/);
  expect(out).toMatch(/Runs:\n {2}run\/shown-1 +unknown/);
  for (const [kind, id] of [
    ['connection', 'code'],
    ['ti', 'ml-toolchain'],
    ['pi', 'container-rest'],
  ] as const) {
    expect((await run('describe', kind, id)).out).toMatch(/Used by:\n(.*\n)* {2}pipeline\/shown/);
  }
  expect((await run('delete', 'pipeline', 'shown')).out).toBe('pipeline/shown deleted\n');
});

test('problems of a pipeline are reported with their lines', async () => {
  const file = await slipway.file(manifest('wrong', 'onFailure: panic'), 'wrong.yaml');
  const { exitCode, err } = await run('apply', '-f', file);
  expect([exitCode, err]).toEqual([
    2,
    expect.stringContaining('wrong.yaml:12: onFailure is restore or keep, not "panic"'),
  ]);
});

test('a run is waited for step by step with its children, and only its image is on standard output', async () => {
  await apply('good');
  const waiting = begin(slipway, ['pipeline', 'run', '--set', 'alpha=0.1', '--set', 'alpha=0.2', 'good', '--wait']);
  await waiting.until('run/good-1 created');
  await api.trainings.insert(newTraining('good-1', TrainingSpec.parse({})));
  await move('good-1', { state: 'running', startedAt: AT, steps: [step('training', 'running')] });
  await waiting.until('run/good-1 training  running  (');
  const training = step('training', 'running', { child: 'training/good-1' });
  await move('good-1', { state: 'running', startedAt: AT, steps: [step('resolve', 'succeeded'), training] });
  const stored = await api.trainings.get('good-1');
  if (stored === undefined) throw new Error('there is no training');
  const log = await api.logs.writer(logPrefix('training', stored));
  await log.append({ at: AT, stream: 'stdout', text: 'INFO === environment' });
  await log.flush();
  await waiting.until('step environment');
  await log.finish({ exitCode: 0 });
  const approval = step('approval', 'waiting');
  const steps = [step('resolve', 'succeeded'), { ...training, state: 'succeeded' as const }];
  const reused = step('packaging', 'succeeded', { reusedFrom: 'packaging/good-0' });
  await move('good-1', { steps: [...steps, reused, approval] });
  await waiting.until('slipway approve good-1 --reason ...');
  await move('good-1', {
    ...{ state: 'succeeded', image: 'example.org/wine:1', finishedAt: '2026-01-01T00:02:00.000Z' },
    steps: [...steps, reused, { ...approval, state: 'succeeded' }],
  });
  const { exitCode, out, err } = await waiting.ended;
  expect([exitCode, out]).toEqual([0, 'example.org/wine:1\n']);
  expect(err.replace(/\(\w+\)/g, '(n)').split('\n')).toEqual(
    expect.arrayContaining([
      'run/good-1 created',
      'run/good-1  running  (n)',
      'run/good-1 training  running  training/good-1  (n)',
      'run/good-1 training  step environment  (n)',
      'run/good-1 training  succeeded  training/good-1  (n)',
      'run/good-1 packaging  succeeded  reused packaging/good-0  (n)',
      'run/good-1 approval  waiting  slipway approve good-1 --reason ...  (n)',
      'run/good-1 succeeded after 2m',
    ]),
  );
  const missed = { child: 'training/good-1', reuseMiss: 'the pipeline says noCache' };
  await move('good-1', { steps: [step('training', 'succeeded', missed), reused] });
  const { out: described } = await run('describe', 'run/good-1');
  expect(described).toMatch(/training +succeeded +training\/good-1: not reused, the pipeline says noCache\n/);
  expect(described).toMatch(/packaging +succeeded +reused packaging\/good-0$/m);
  const { body } = await api.call('GET', '/api/v1/model/pipeline/good/run/1');
  expect(body.spec.parameters).toEqual({ alpha: '0.2' });
});

test('a run that fails ends with 1, says why, and where the log is', async () => {
  await apply('bad');
  await run('pipeline', 'run', 'bad');
  const failure = { reason: 'ToolchainFailed', message: 'the program ended with 3' } as const;
  await move('bad-1', {
    ...{ state: 'failed', startedAt: AT, finishedAt: '2026-01-01T00:00:10.000Z', ...failure },
    steps: [step('training', 'failed', { child: 'training/bad-1', ...failure })],
  });
  const { exitCode, out, err } = await run('wait', 'run', 'bad-1');
  expect([exitCode, out]).toEqual([1, '']);
  expect(err).toContain('run/bad-1 training  failed  training/bad-1, the program ended with 3');
  expect(err).toContain(
    'run/bad-1 failed after 10s: ToolchainFailed: the program ended with 3\ncomplete log: slipway logs training/bad-1\n',
  );
  const described = (await run('describe', 'run/bad-1')).out;
  expect(described).toMatch(/reason +ToolchainFailed\n/);
  expect(described).toMatch(/Steps:\n {2}training +failed +.*training\/bad-1: the program ended with 3/);
});

test('Ctrl-C leaves the run alone and says how to see it again', async () => {
  await apply('long');
  const stop = new AbortController();
  const waiting = begin(slipway, ['pipeline', 'run', 'long', '--wait'], stop.signal);
  await waiting.until('run/long-1  unknown');
  stop.abort();
  const { exitCode, err } = await waiting.ended;
  expect(exitCode).toBe(130);
  expect(err).toContain('run/long-1 continues; follow with "slipway wait run/long-1"\n');
  expect(api.signals.filter((line) => line.startsWith('cancel pipeline/long'))).toEqual([]);
});

test('what cannot be run says why, with an exit code of its own', async () => {
  await apply('busy');
  expect((await run('pipeline', 'run', 'busy')).out).toBe('run/busy-1 created\n');
  const cases: [string[], number, string][] = [
    [['pipeline', 'run', 'busy'], 5, 'run busy-1 of the pipeline has not finished yet; wait for its end or cancel it'],
    [['pipeline', 'run', 'nope'], 4, 'entity "nope" is not found'],
    [['pipeline', 'run', 'busy', '--set', 'beta=1'], 2, 'declares no parameter "beta"; declared: alpha'],
    [['pipeline', 'run', 'busy', '--set', 'alpha'], 2, '"alpha" is invalid: use name=value'],
    [['pipeline', 'retry', 'busy-1'], 5, 'run busy-1 has not finished yet'],
    [['pipeline', 'cancel', 'busy'], 4, '"busy" is no run of a pipeline; one is named like wine-3'],
    [['approve', 'busy-1'], 2, "required option '--reason <text>' not specified"],
    [['get', 'runs', '--filter', 'color=red'], 2, 'runs are filtered by pipeline and state, not by color'],
    [['get', 'run', 'busy-7'], 4, 'pipeline "busy" has no run 7'],
    [['schedule', 'next', 'busy'], 4, 'pipeline "busy" has no schedule; set spec.triggers.schedule'],
  ];
  for (const [args, exitCode, text] of cases) {
    const ended = await slipway.run(args);
    expect([args, ended.exitCode, ended.out]).toEqual([args, exitCode, '']);
    expect(ended.err).toContain(text);
  }
});

test('a run is canceled, and goes on where it failed, by another spec where one is given', async () => {
  await apply('again');
  await run('pipeline', 'run', 'again');
  expect((await run('pipeline', 'cancel', 'run/again-1')).out).toBe('run/again-1 is being canceled\n');
  expect(api.signals).toContain('cancel pipeline/again-1 1');
  await move('again-1', { state: 'failed', reason: 'Cancelled', message: 'canceled' });
  const changed = await slipway.file(manifest('again', 'onFailure: keep'));
  expect(await run('pipeline', 'retry', 'again-1', '-f', changed)).toEqual({
    exitCode: 0,
    out: 'run/again-1 goes on\n',
    err: 'follow with "slipway wait run/again-1"\n',
  });
  const retried = await api.pipelineRuns.get('again-1');
  expect([retried?.generation, retried?.spec.template.onFailure]).toEqual([2, 'keep']);
  expect((await api.pipelines.get('again'))?.spec.onFailure).toBe('restore');
  await move('again-1', { state: 'failed' });
  const waiting = begin(slipway, ['pipeline', 'retry', 'again-1', '--wait']);
  await waiting.until('run/again-1  unknown');
  await move('again-1', { state: 'succeeded', artifactName: 'wine-1.zip' });
  expect(await waiting.ended).toMatchObject({ exitCode: 0, out: 'wine-1.zip\n' });
});

test('a person with the role decides, with a reason; others read which roles may', async () => {
  await apply('asked', deployed('asked', 'gates: { approval: { required: true, roles: [admin], allowAuthor: true } }'));
  await run('pipeline', 'run', 'asked');
  expect((await run('approve', 'asked-1', '--reason', 'checked')).out).toBe('run/asked-1 approved\n');
  expect((await run('reject', 'asked-1', '--reason', 'no')).out).toBe('run/asked-1 rejected\n');
  expect(api.signals.filter((line) => line.includes(' asked-1 '))).toEqual([
    expect.stringMatching(/^approved asked-1 /),
    expect.stringMatching(/^rejected asked-1 /),
  ]);
  const scientist = { SLIPWAY_TOKEN: await api.token(['data_scientist']) };
  const denied = await slipway.run(['approve', 'asked-1', '--reason', 'me too'], { env: scientist });
  expect(denied.exitCode).toBe(3);
  expect(denied.err).toContain('run asked-1 is decided by the roles admin');
  const decided = { decision: 'approved', by: 'Ada', at: AT, reason: 'checked' } as const;
  await move('asked-1', { state: 'succeeded', approval: decided });
  expect((await run('describe', 'run', 'asked-1')).out).toMatch(/approval +approved by Ada: checked\n/);
  const decide = api.approvals.decide.bind(api.approvals);
  api.approvals.decide = () => Promise.reject(new SlipwayError('not_waiting', 'the run does not wait for an approval'));
  const late = await run('approve', 'asked-1', '--reason', 'late').finally(() => (api.approvals.decide = decide));
  expect([late.exitCode, late.err]).toEqual([5, expect.stringContaining('the run does not wait for an approval')]);
});

test('a schedule is paused, released and run now; its next times are shown', async () => {
  await apply('timed', 'triggers: { schedule: { cron: "0 3 1 1 *", timeZone: Europe/Paris } }');
  const next = await run('schedule', 'next', 'timed', '--count', '2');
  expect(next.out).toMatch(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {3}in \d.*\n){2}$/);
  expect(next.err).toMatch(/^"0 3 1 1 \*" in Europe\/Paris, next at \d{4}-/);
  expect((await run('schedule', 'next', 'timed', '--count', '0')).exitCode).toBe(2);
  expect(JSON.parse((await run('schedule', 'next', 'timed', '-o', 'json')).out).next).toHaveLength(5);
  const paused = await run('schedule', 'pause', 'timed', '--note', 'the data are late');
  expect(paused.out).toBe('schedule of pipeline/timed paused\n');
  expect(paused.err).toMatch(/, paused by .*: the data are late\n$/);
  expect((await run('get', 'pipeline', 'timed')).out).toContain('0 3 1 1 * (paused)');
  expect((await run('schedule', 'resume', 'timed')).err).toContain(', next at ');
  expect((await run('schedule', 'trigger', 'timed')).out).toBe('schedule of pipeline/timed triggered\n');
  expect(api.signals).toContain('trigger timed');
  await run('pipeline', 'run', 'timed');
  expect((await run('schedule', 'trigger', 'timed')).err).toContain(
    'run/timed-1 is still running: this start is skipped\n',
  );
});

test('runs are listed of one pipeline or of all, the newest first', async () => {
  await apply('listed');
  for (const number of [1, 2]) {
    await run('pipeline', 'run', 'listed');
    await move(`listed-${number}`, { state: 'failed', reason: 'GateFailed', steps: [step('metrics', 'failed')] });
  }
  const { out } = await run('get', 'runs', '--filter', 'pipeline=listed');
  expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['ID', 'STATE', 'STEP'],
    ['listed-2', 'failed', 'metrics'],
    ['listed-1', 'failed', 'metrics'],
    [''],
  ]);
  expect((await run('get', 'runs', '-o', 'name', '--state', 'failed')).out).toContain('run/listed-2\nrun/listed-1\n');
});

test('the webhook of a pipeline is shown to admins', async () => {
  await apply('hooked', 'triggers: { webhook: { enabled: true } }');
  const { out } = await run('pipeline', 'webhook', 'hooked');
  expect(JSON.parse(out)).toMatchObject({ enabled: true, secret: expect.stringMatching(/^whsec_/) });
});

test('ids of pipelines and runs complete a command line', async () => {
  await apply('complete');
  await run('pipeline', 'run', 'complete');
  const words = async (...args: string[]) => (await run('__complete', '--', ...args)).out.split('\n');
  expect(await words('pipeline', 'run', '')).toContain('complete');
  expect(await words('schedule', 'pause', '')).toContain('complete');
  for (const command of [['approve'], ['reject'], ['pipeline', 'retry'], ['pipeline', 'cancel'], ['describe', 'run']]) {
    expect(await words(...command, '')).toContain('complete-1');
  }
  expect((await words('pipeline', '')).map((line) => line.split('\t')[0])).toEqual(
    expect.arrayContaining(['run', 'retry', 'cancel', 'webhook']),
  );
  expect(await words('pipeline', 'run', 'complete', '')).toEqual(['']);
});
