import { expect, test } from 'vitest';
import { createSchemaCheck } from '../../../notifications/events/schema-check.js';
import { platformEventOf } from '../../../notifications/events/stream-events.js';
import type { AnyResource, Kind } from '../../../platform/kinds/resource.js';
import { eventOfWrite } from '../../../notifications/events/resource-events.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import { scheduleSkipped } from '../../../notifications/events/schedule-events.js';

const AT = '2026-02-11T09:30:12.114Z';
const entity = (kind: Kind, status: object, spec: object = {}, more: object = {}): AnyResource => ({
  ...{ kind, id: 'wine-3', uid: 'u', spec, status, generation: 1, revision: 1 },
  ...{ createdAt: AT, updatedAt: AT, createdBy: 'ana', updatedBy: 'ana', ...more },
});
const eventOf = (
  before: AnyResource | undefined,
  after: AnyResource | undefined,
  kind = (after ?? before)?.kind ?? 'ModelTraining',
) => eventOfWrite({ kind, before, after, revision: 5, at: AT });

function requireFormed(event: PlatformEvent | undefined): void {
  const faults: unknown[] = [];
  const check = createSchemaCheck({ onFault: (fault) => void faults.push(fault) });
  if (event !== undefined) {
    const entry = { kind: 'event' as const, event, position: 1, at: AT, token: 't' };
    const source = platformEventOf('pipeline', entry);
    for (const payload of ['full', 'ids'] as const) check(source, source.data(payload), { fields: {} });
  }
  expect(faults).toEqual([]);
}
const typeOf = (before: AnyResource | undefined, after: AnyResource | undefined) => {
  const event = eventOf(before, after);
  requireFormed(event);
  return event?.type;
};

const RUNS = {
  ModelTraining: { spec: { model: { name: 'wine', version: '3' } }, status: { artifacts: [] }, word: 'training' },
  ModelPackaging: { spec: { artifactName: 'wine.zip' }, status: { results: [] }, word: 'packaging' },
  PipelineRun: {
    spec: { pipeline: 'wine', number: 3, trigger: { type: 'api', at: AT } },
    status: { steps: [], gates: [] },
    word: 'run',
  },
} as const;

test.each(Object.entries(RUNS))(
  'a %s tells that it began and how it ended, and nothing twice',
  (kind, { spec, status, word }) => {
    const at = (state: string, more: object = {}) =>
      entity(kind as Kind, { ...status, state, transitions: [], ...more }, spec);
    expect(typeOf(undefined, at('unknown'))).toBeUndefined();
    expect(typeOf(at('unknown'), at('scheduling'))).toBeUndefined();
    expect(typeOf(at('scheduling'), at('running', { startedAt: AT }))).toBe(`pipeline.${word}.started`);
    expect(typeOf(at('running'), at('running', { commit: 'c' }))).toBeUndefined();
    expect(typeOf(at('running'), at('succeeded', { finishedAt: AT }))).toBe(`pipeline.${word}.succeeded`);
    const failure = { message: 'x'.repeat(5_000), exitCode: 1 };
    expect(typeOf(at('running'), at('failed', { reason: 'OutOfMemory', ...failure }))).toBe(`pipeline.${word}.failed`);
    expect(typeOf(at('running'), at('failed', { reason: 'Cancelled', ...failure }))).toBe(`pipeline.${word}.cancelled`);
    expect(typeOf(at('failed'), undefined)).toBeUndefined();
  },
);

test('a training tells what came of it; numbers that JSON has not are left out', () => {
  const { spec } = RUNS.ModelTraining;
  const status = { state: 'running', artifacts: [], transitions: [] };
  const artifacts = [{ runId: 'r', artifactName: 'wine-3.zip', commitID: 'c0ffee' }];
  const done = {
    ...status,
    state: 'succeeded',
    artifacts,
    artifactName: 'wine-3.zip',
    metrics: { rmse: 0.5, nan: NaN },
  };
  const event = eventOf(entity('ModelTraining', status, spec), entity('ModelTraining', done, spec));
  expect(event).toMatchObject({
    key: 'pipeline/ModelTraining/wine-3/5',
    type: 'pipeline.training.succeeded',
    subject: 'training/wine-3',
    version: 5,
    at: AT,
  });
  expect(JSON.parse(event?.data ?? '')).toEqual({
    ...{ kind: 'ModelTraining', id: 'wine-3', version: 5, generation: 1, state: 'succeeded', created_by: 'ana' },
    ...{
      model_name: 'wine',
      model_version: '3',
      artifact_name: 'wine-3.zip',
      commit: 'c0ffee',
      metrics: { rmse: 0.5 },
    },
  });
});

test('a run tells once that it waits for a person', () => {
  const { spec } = RUNS.PipelineRun;
  const step = { name: 'approval', state: 'waiting', startedAt: AT };
  const before = entity('PipelineRun', { state: 'running', steps: [], gates: [], transitions: [] }, spec);
  const waiting = { ...before, status: { ...before.status, steps: [step] } };
  expect(typeOf(before, waiting)).toBe('pipeline.run.waiting');
  expect(typeOf(waiting, { ...waiting, updatedAt: 'later' })).toBeUndefined();
});

test('a deployment tells what becomes of it', () => {
  const at = (state: string, generation = 1) =>
    entity(
      'ModelDeployment',
      { state, replicas: 2, availableReplicas: 1, transitions: [] },
      { image: 'i' },
      { generation },
    );
  expect(typeOf(undefined, at('Processing'))).toBe('pipeline.deployment.created');
  expect(typeOf(at('Processing'), at('Ready'))).toBe('pipeline.deployment.ready');
  expect(typeOf(at('Ready'), at('Processing'))).toBe('pipeline.deployment.degraded');
  expect(typeOf(at('Ready'), at('Processing', 2))).toBeUndefined();
  expect(typeOf(at('Processing'), at('Failed'))).toBe('pipeline.deployment.failed');
  expect(typeOf(at('Ready'), at('Deleting'))).toBeUndefined();
  expect(typeOf(at('Deleting'), undefined)).toBe('pipeline.deployment.deleted');
});

test('a pipeline tells that it came and that it went', () => {
  const pipeline = entity('ModelPipeline', { lastRun: 0, positions: {} });
  expect(typeOf(undefined, pipeline)).toBe('pipeline.definition.created');
  expect(typeOf(pipeline, undefined)).toBe('pipeline.definition.deleted');
  expect(eventOf(pipeline, undefined)).toMatchObject({ subject: 'pipeline/wine-3', version: 5 });
});

test('a schedule tells that it was halted, released, made a run or made none', () => {
  const pipeline = (status: object) => entity('ModelPipeline', { lastRun: 1, positions: {}, ...status });
  const paused = pipeline({ paused: { by: 'ana', at: AT, note: 'wait' } });
  expect(typeOf(pipeline({}), paused)).toBe('pipeline.schedule.paused');
  expect(typeOf(paused, pipeline({}))).toBe('pipeline.schedule.resumed');
  expect(typeOf(paused, { ...paused, generation: 2 })).toBeUndefined();
  const { spec, status } = RUNS.PipelineRun;
  const run = (type: string) => entity('PipelineRun', { ...status, state: 'unknown' }, { ...spec, trigger: { type } });
  expect(typeOf(undefined, run('schedule'))).toBe('pipeline.schedule.run_started');
  expect(typeOf(undefined, run('api'))).toBeUndefined();
  const skipped = scheduleSkipped('wine', { key: 'run-id', at: AT, note: 'run wine-2 goes on' });
  requireFormed(skipped);
  expect(skipped).toMatchObject({ subject: 'schedule/wine', key: 'pipeline/ModelPipeline/wine/skipped/run-id' });
});

test('kinds without event types emit nothing', () => {
  expect(eventOf(undefined, entity('Connection', {}))).toBeUndefined();
  expect(
    eventOf(entity('Subscription', { state: 'running' }), entity('Subscription', { state: 'failed' })),
  ).toBeUndefined();
});
