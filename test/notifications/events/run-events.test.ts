import { expect, test } from 'vitest';
import { STEP_STATES } from '../../../lifecycle/kinds/pipeline-run.js';
import { TRIGGERS } from '../../../lifecycle/kinds/pipeline-trigger.js';
import { AT, dataOf, emitted, PRIVATE, problemsOf, resource } from './writes.js';

const run = (status: object, trigger: object = { type: 'api' }) =>
  resource(
    'PipelineRun',
    { state: 'running', steps: [], gates: [], transitions: [], ...status },
    {
      ...{ pipeline: 'wine', number: 3, trigger: { at: AT, by: PRIVATE, key: PRIVATE, ...trigger } },
      ...{ parameters: { token: PRIVATE }, template: { training: { envs: [PRIVATE] } } },
    },
  );
const approval = (state: string) => run({ steps: [{ name: 'approval', state, startedAt: AT }] });

test('a run names its pipeline, its number, its trigger and all that it made', () => {
  const done = run({
    ...{ state: 'succeeded', startedAt: AT, finishedAt: AT, modelName: 'wine', modelVersion: '3', commit: 'c0ffee' },
    ...{ image: 'registry.example/wine:3', imageDigest: PRIVATE, metrics: { rmse: 0.5, bad: NaN } },
    deployed: { id: PRIVATE, generation: 2 },
  });
  const event = emitted([run({}), done]);
  expect(event).toMatchObject({
    type: 'pipeline.run.succeeded',
    source: '/api/v1/model/pipeline',
    subject: 'run/wine-3',
  });
  expect(dataOf(event)).toEqual({
    ...{ kind: 'PipelineRun', id: 'wine-3', version: 5, generation: 2, state: 'succeeded', created_by: 'ana' },
    ...{ started_at: AT, finished_at: AT, pipeline: 'wine', number: 3, trigger: 'api' },
    ...{ model_name: 'wine', model_version: '3', commit: 'c0ffee', image: 'registry.example/wine:3' },
    metrics: { rmse: 0.5 },
  });
  expect(problemsOf('pipeline.run.succeeded', dataOf(event))).toEqual([]);
});

test.each(TRIGGERS)('a run by the trigger %s names it, and its creation is an event for a schedule only', (type) => {
  const begun = emitted([run({ state: 'unknown' }, { type }), run({}, { type })]);
  expect(dataOf(begun).trigger).toBe(type);
  expect(problemsOf('pipeline.run.started', dataOf(begun))).toEqual([]);
  const created = emitted([undefined, run({ state: 'unknown' }, { type })]);
  expect(created?.type).toBe(type === 'schedule' ? 'pipeline.schedule.run_started' : undefined);
});

test.each(STEP_STATES)('an approval that comes to the state %s', (state) => {
  const event = emitted([run({}), approval(state)]);
  expect(event?.type).toBe(state === 'waiting' ? 'pipeline.run.waiting' : undefined);
});

test.each([
  ['waits on', approval('waiting'), approval('waiting'), undefined],
  ['was approved', approval('waiting'), approval('succeeded'), undefined],
  ['was rejected', approval('waiting'), run({ state: 'failed', reason: 'Rejected' }), 'failed'],
  ['was canceled while it waited', approval('waiting'), run({ state: 'failed', reason: 'Cancelled' }), 'cancelled'],
  ['waits a second time after a retry', approval('failed'), approval('waiting'), 'waiting'],
  ['has another step that waits', run({}), run({ steps: [{ name: 'training', state: 'waiting' }] }), undefined],
  ['is gone', run({}), undefined, undefined],
])('a run that %s', (_, before, after, word) => {
  expect(emitted([before, after])?.type).toBe(word && `pipeline.run.${word}`);
});

test('the wait for an approval goes before a change of the state in the same write', () => {
  const waiting = resource('PipelineRun', { ...approval('waiting').status }, run({}).spec);
  expect(emitted([run({ state: 'scheduling' }), waiting])?.type).toBe('pipeline.run.waiting');
});
