import { expect, test } from 'vitest';
import { PLATFORM_TYPES, platformFields, platformType } from '../../../notifications/events/catalogue.js';
import { type EventFamily, typesOfFamily } from '../../../notifications/events/event-family.js';
import { deliveryFailed } from '../../../notifications/events/delivery-events.js';
import { feedStalled, gapEvent } from '../../../notifications/events/ops-events.js';
import { scheduleSkipped } from '../../../notifications/events/schedule-events.js';
import { toWatchEvent } from '../../../notifications/events/watch-event.js';
import type { Watch, WatchKind } from '../../../notifications/kinds/watch.js';
import { type PlatformEvent } from '../../../platform/kinds/platform-event.js';
import { PAYLOADS, type SourceEvent } from '../../../platform/kinds/source-event.js';
import { AT, emitted, PRIVATE, problemsOf, read, resource, type Write } from './writes.js';

const FAMILY: EventFamily = {
  name: 'pipeline.barrel',
  fields: {
    litres: { type: 'integer', required: true, filterable: true, sortable: false },
    wood: { type: 'text', max_length: 4, required: false, filterable: true, sortable: false },
  },
  more: { staves: { type: 'array' } },
  example: { source: '/barrels', subject: 'barrel/1', data: { litres: 225, wood: 'oak' } },
  types: { filled: { description: 'Full.' }, emptied: { description: 'Empty.', data: { litres: 0 } } },
};

test('each type of a family has its name, its own example and the form of the family', () => {
  const [filled, empty, ...others] = typesOfFamily(FAMILY);
  expect(others).toEqual([]);
  expect([filled?.type, empty?.type]).toEqual(['pipeline.barrel.filled', 'pipeline.barrel.emptied']);
  expect(filled?.example).toEqual(FAMILY.example);
  expect(empty?.example).toEqual({ ...FAMILY.example, data: { litres: 0, wood: 'oak' } });
  expect(filled?.schema).toEqual(empty?.schema);
  expect(filled?.schema).toMatchObject({ required: ['litres'], properties: { wood: { maxLength: 4 }, staves: {} } });
});

const run = (state: string, more: object = {}) => ({ state, transitions: [], ...more });
const runWrites = (name: string, toResource: (status: object) => ReturnType<typeof resource>): [string, Write][] => [
  [`${name}.started`, [toResource(run('scheduling')), toResource(run('running', { startedAt: AT }))]],
  [`${name}.succeeded`, [toResource(run('running')), toResource(run('succeeded', { finishedAt: AT }))]],
  [`${name}.failed`, [toResource(run('running')), toResource(run('failed', { reason: 'Timeout', message: 'm' }))]],
  [`${name}.cancelled`, [toResource(run('running')), toResource(run('failed', { reason: 'Cancelled', message: 'm' }))]],
];
const training = (status: object) =>
  resource('ModelTraining', { artifacts: [], ...status }, { model: { name: 'wine', version: '3' }, envs: [PRIVATE] });
const packaging = (status: object) =>
  resource('ModelPackaging', { results: [], ...status }, { artifactName: 'wine-3.zip', arguments: { key: PRIVATE } });
const batchJob = (status: object) =>
  resource(
    'InferenceJob',
    { files: { done: 3, total: 12 }, ...status },
    { inferenceServiceId: 'wine', requestId: 'monday', dataSource: { connection: PRIVATE } },
  );
const pipelineRun = (status: object, trigger: object = { type: 'feedback', at: AT, key: PRIVATE }) =>
  resource(
    'PipelineRun',
    { steps: [], gates: [], ...status },
    { pipeline: 'wine', number: 3, trigger, parameters: { key: PRIVATE } },
  );
const deployment = (state: string) =>
  resource(
    'ModelDeployment',
    { state, replicas: 2, availableReplicas: 1, transitions: [], hostHeader: PRIVATE },
    { image: 'registry.example/wine:3', annotations: { key: PRIVATE } },
  );
const pipeline = (paused?: object) =>
  resource('ModelPipeline', { lastRun: 2, positions: { data: PRIVATE }, ...(paused && { paused }) });
const subscription = (status: object) =>
  resource(
    'Subscription',
    { ...{ state: 'active', reason: null, level: 'L1', receipts: 'none' }, keys: [{ secret: PRIVATE }], ...status },
    { name: 'hr-sync', url: `https://hook.example/${PRIVATE}`, headers: { authorization: PRIVATE } },
  );
const approval = { name: 'approval', state: 'waiting', startedAt: AT };

/** One write for each type that a write emits. */
const WRITES: [string, Write][] = [
  ...runWrites('pipeline.training', training),
  ...runWrites('pipeline.packaging', packaging),
  ...runWrites('pipeline.batch', batchJob),
  ...runWrites('pipeline.run', pipelineRun),
  ['pipeline.run.waiting', [pipelineRun(run('running')), pipelineRun(run('running', { steps: [approval] }))]],
  ['pipeline.deployment.created', [undefined, deployment('Processing')]],
  ['pipeline.deployment.ready', [deployment('Processing'), deployment('Ready')]],
  ['pipeline.deployment.degraded', [deployment('Ready'), deployment('Processing')]],
  ['pipeline.deployment.failed', [deployment('Processing'), deployment('Failed')]],
  ['pipeline.deployment.deleted', [deployment('Deleting'), undefined]],
  ['pipeline.definition.created', [undefined, pipeline()]],
  ['pipeline.definition.deleted', [pipeline(), undefined]],
  ['pipeline.schedule.paused', [pipeline(), pipeline({ by: 'ana', at: AT, note: 'wait' })]],
  ['pipeline.schedule.resumed', [pipeline({ by: 'ana', at: AT, note: 'wait' }), pipeline()]],
  ['pipeline.schedule.run_started', [undefined, pipelineRun(run('unknown'), { type: 'schedule', at: AT })]],
  ['ops.subscription.failing', [subscription({}), subscription({ failing: { since: AT, reason: 'status 503' } })]],
  ['ops.subscription.recovered', [subscription({ failing: { since: AT, reason: 'r' } }), subscription({})]],
  ['ops.subscription.disabled', [subscription({}), subscription({ state: 'disabled', reason: 'quiet for days' })]],
  ['ops.subscription.lowered', [subscription({ level: 'L2' }), subscription({ level: 'L0' })]],
  ['ops.subscription.backlog', [subscription({}), subscription({ backlog: { since: AT, pending: 800_000 } })]],
];

const gapOf = (kind: WatchKind): PlatformEvent =>
  toWatchEvent(
    {
      id: 'wat_1',
      spec: { name: 'quiet', scope: { dataset: 'positions', filter: null, entity: null } },
    } as unknown as Watch,
    { kind, id: 42n, entity: '42', version: 9, gap: 7, repeat: 0, since: 0, deadline: 10, at: 12, missed: 1 },
    new Date(20),
  );

/** The events that no write emits. */
const OTHERS: [string, PlatformEvent | SourceEvent][] = [
  ['pipeline.schedule.run_skipped', scheduleSkipped('wine', { key: 'k', at: AT, note: 'run wine-2 goes on' })],
  ...(['late', 'absent', 'resumed', 'closed'] as const).map((kind): [string, PlatformEvent] => [
    `watch.${kind}`,
    gapOf(kind),
  ]),
  ['ops.feed_stalled', feedStalled({ stream: 'positions', position: 9, from: AT, until: AT })],
  [
    'ops.delivery.failed',
    deliveryFailed({
      ...{ subscription: 'sub_7f3k', by: 'exhausted', episode: 0 },
      event: { sequence: 42, id: 'ntc_7f3k_42_a', eventId: 'evt_1', type: 'dataset.positions.updated' },
      record: { deliveryId: 'ntc_7f3k_42_a', createdAt: AT, attempts: [], settlements: [], reopenings: [] },
    }) as PlatformEvent, // of every type but its own
  ],
  ['ops.gap', gapEvent({ stream: 'positions', after: 4, through: 9, at: AT })],
];

/** The event of every type, as its stream reads it back. */
const EMITTED = [...WRITES.map(([type, write]) => [type, emitted(write)] as const), ...OTHERS].map(
  ([type, event]) => [type, event === undefined ? undefined : 'key' in event ? read(event) : event] as const,
);

test('every declared type has a factory that emits it, and no factory emits another type', () => {
  const names = EMITTED.map(([, event]) => event?.type ?? 'no event').sort();
  expect(names).toEqual(PLATFORM_TYPES.map(({ type }) => type).sort());
  expect(EMITTED.filter(([type, event]) => event?.type !== type)).toEqual([]);
});

test.each(EMITTED)('%s is as its declaration says, in each payload', (type, event) => {
  const declared = platformType(type);
  expect(problemsOf(type, JSON.parse(event?.data('full') ?? 'null'))).toEqual([]);
  for (const payload of PAYLOADS) {
    const data = JSON.parse(event?.data(payload) ?? 'null');
    for (const name of declared?.schema.required ?? []) if (payload === 'full') expect(data).toHaveProperty([name]);
    expect(Object.keys(data).length).toBeGreaterThan(0);
  }
  // The subject and the source name what the example names: `training/...`, below the same path.
  const kindOf = (subject = '') =>
    subject
      .split('/')
      .slice(0, -1)
      .join('/')
      .replace(/^wat_.*/, 'wat');
  expect(kindOf(event?.subject)).toBe(kindOf(declared?.example.subject));
  const pathOf = (source = '') => source.replace(/\/(sub|wat)_[^/]+$|\/wine-3$/, '');
  expect(pathOf(event?.source)).toBe(pathOf(declared?.example.source));
  expect(event).toMatchObject({ schemaVersion: declared?.version, index: 0 });
});

test.each(EMITTED)('%s holds nothing of what stays inside', (_, event) => {
  for (const payload of PAYLOADS) expect(event?.data(payload)).not.toContain(PRIVATE);
  expect(JSON.stringify([event?.source, event?.subject, event?.ref, event?.id])).not.toContain(PRIVATE);
});

test.each(WRITES)('%s is the same event when the write is read a second time', (_, write) => {
  const [first, second] = [emitted(write), emitted(structuredClone(write))];
  expect(second).toEqual(first);
  const [here, there] = [first, second].map((event) => event && read(event));
  expect(there?.id).toBe(here?.id);
  // The next write of the same change is another event, unless the subject has its own version.
  const later = emitted(write, 6);
  expect(later?.key).not.toBe(first?.key);
});

test('all events that one subject can have differ in their ids', () => {
  const ids = EMITTED.map(([, event]) => event?.id);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(EMITTED)('each field that a filter of %s can name is in its schema', (type) => {
  const names = Object.keys(platformFields(type) ?? {});
  expect(names.length).toBeGreaterThan(2);
  expect(Object.keys(platformType(type)?.schema.properties ?? {})).toEqual(expect.arrayContaining(names));
});

test.each(['pipeline.training', 'pipeline.training.begun', 'training.started', '', 'dataset.positions.created', '*'])(
  '%s is no type of the platform',
  (type) => {
    expect(platformType(type)).toBeUndefined();
  },
);
