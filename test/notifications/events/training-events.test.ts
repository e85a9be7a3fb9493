import { expect, test } from 'vitest';
import { metricsData } from '../../../notifications/events/run-data.js';
import { trainingEvent } from '../../../notifications/events/training-events.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { AT, dataOf, emitted, PRIVATE, problemsOf, read, resource } from './writes.js';

const SPEC = {
  model: { name: 'wine', version: '3' },
  envs: [{ name: 'TOKEN', value: PRIVATE }],
  hyperParameters: { alpha: PRIVATE },
};
const training = (status: object, spec: object = SPEC) =>
  resource('ModelTraining', { state: 'running', artifacts: [], transitions: [], ...status }, spec);
const finished = (status: object) => emitted([training({}), training({ state: 'succeeded', ...status })]);

test('a training that succeeded names its artifact, its commit and its metrics', () => {
  const event = finished({
    ...{ startedAt: AT, finishedAt: AT, artifactName: 'wine-3.zip', metrics: { rmse: 0.25 } },
    artifacts: [
      { runId: 'r1', artifactName: 'wine-3.zip', commitID: 'c0ffee' },
      { runId: 'r2', artifactName: 'other.zip', commitID: 'beef' },
    ],
    parameters: { alpha: PRIVATE },
    data: [{ localPath: 'data.csv', digest: PRIVATE }],
    podName: PRIVATE,
    logTail: PRIVATE,
  });
  expect(dataOf(event)).toEqual({
    ...{ kind: 'ModelTraining', id: 'wine-3', version: 5, generation: 2, state: 'succeeded', created_by: 'ana' },
    ...{ started_at: AT, finished_at: AT, model_name: 'wine', model_version: '3' },
    ...{ artifact_name: 'wine-3.zip', commit: 'c0ffee', metrics: { rmse: 0.25 } },
  });
});

test('the source, the subject and the key say which training and which write it is', () => {
  expect(finished({})).toMatchObject({
    type: 'pipeline.training.succeeded',
    source: '/api/v1/model/training',
    subject: 'training/wine-3',
    key: 'pipeline/ModelTraining/wine-3/5',
    version: 5,
    at: AT,
  });
});

test.each([
  ['no artifact', { artifacts: [] }, {}],
  ['an artifact of object storage, which has no commit', { artifacts: [{ commitID: '' }] }, { commit: '' }],
  ['no metrics', { metrics: undefined }, {}],
  ['an empty set of metrics', { metrics: {} }, { metrics: {} }],
])('%s: what is not known is left out', (_, status, expected) => {
  const { commit, metrics, artifact_name } = dataOf(finished(status));
  expect({ commit, metrics, artifact_name }).toEqual({
    commit: undefined,
    metrics: undefined,
    artifact_name: undefined,
    ...expected,
  });
});

test('numbers that JSON does not have are left out, the others keep their value', () => {
  const metrics = { nan: NaN, up: Infinity, down: -Infinity, tiny: 5e-324, huge: 1.7976931348623157e308, zero: -0 };
  const event = finished({ metrics });
  expect(dataOf(event).metrics).toEqual({ tiny: 5e-324, huge: 1.7976931348623157e308, zero: 0 });
  expect(problemsOf('pipeline.training.succeeded', dataOf(event))).toEqual([]);
});

test('at most 200 metrics are in one event, the first ones that are numbers', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`m${index}`, index < 50 ? NaN : index]));
  const kept = metricsData(many) ?? {};
  expect(Object.keys(kept)).toHaveLength(200);
  expect([kept.m49, kept.m50, kept.m249, kept.m250]).toEqual([undefined, 50, 249, undefined]);
});

test('names of metrics are taken as they are, whatever they are called', () => {
  const metrics = JSON.parse('{"__proto__":1,"größe 📐":2,"":3,"a.b":4}');
  expect(JSON.stringify(metricsData(metrics))).toBe('{"__proto__":1,"größe 📐":2,"":3,"a.b":4}');
});

test('a metric with more digits than a number holds breaks no payload', () => {
  const event = finished({ metrics: { count: 2 ** 62 } });
  const source = event && read(event);
  expect(JSON.parse(source?.data('ids') ?? '')).toEqual({
    kind: 'ModelTraining',
    id: 'wine-3',
    version: 5,
    generation: 2,
  });
  expect(source?.row?.()).toMatchObject({ id: 'wine-3', state: 'succeeded' });
});

test('names of models in any script are sent as they are', () => {
  const spec = { model: { name: 'Größe "葡萄酒"\n🍷', version: '3\u0000' } };
  const event = emitted([training({ state: 'scheduling' }, spec), training({}, spec)]);
  expect(dataOf(event)).toMatchObject({ model_name: spec.model.name, model_version: spec.model.version });
});

test.each([
  ['a creation', [undefined, training({ state: 'unknown' })]],
  ['a creation that already runs', [undefined, training({})], 'started'],
  ['a step within a state', [training({}), training({ podName: 'pod' })]],
  ['the wait for a place', [training({ state: 'unknown' }), training({ state: 'scheduling' })]],
  ['a failure without a start', [training({ state: 'unknown' }), training({ state: 'failed' })], 'failed'],
  [
    'a cancel before the start',
    [training({ state: 'unknown' }), training({ state: 'failed', reason: 'Cancelled' })],
    'cancelled',
  ],
  ['a rerun of what failed', [training({ state: 'failed' }), training({ state: 'unknown' })]],
  ['a second success after a rerun', [training({}), training({ state: 'succeeded' })], 'succeeded'],
  ['a removal', [training({ state: 'succeeded' }), undefined]],
  ['a removal while it runs', [training({}), undefined]],
] as const)('%s', (_, [before, after], word?: string) => {
  const event = trainingEvent(before as Training | undefined, after as Training | undefined);
  expect(event?.type).toBe(word && `pipeline.training.${word}`);
});
