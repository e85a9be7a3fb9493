import { randomBytes } from 'node:crypto';
import type { NativeConnection } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { leaseTimes } from '../../../activities/shared/lease.js';
import { parseSettings } from '../../../config.js';
import { ATTEMPT_MS } from '../../../notifications/kinds/attempt.js';
import { type Queue, QUEUES } from '../../../platform/kinds/queues.js';
import { openSecretBox } from '../../../workers/compose/secret-box.js';
import { queuesOf, workerOptions } from '../../../workers/compose/task-queues.js';
import { connectionOptions, createTemporalClient } from '../../../workers/compose/temporal.js';
import { phase } from '../../../workflows/phases.js';
import { VERSION } from '../../../workers/compose/version.js';

const deployment = { version: { deploymentName: 'slipway', buildId: 'one' }, useWorkerVersioning: false } as const;

test.each([
  [undefined, Object.keys(QUEUES)],
  ['control', ['control']],
  [' packaging , control ', ['packaging', 'control']],
  ['control,control,waiting', ['control', 'waiting']],
])('SLIPWAY_QUEUES=%s polls %j', (value, queues) => {
  expect(queuesOf(parseSettings(value === undefined ? {} : { SLIPWAY_QUEUES: value }))).toEqual(queues);
});

test.each([
  ['kontrol', 'kontrol'],
  ['control,Waiting', 'Waiting'],
  ['toString', 'toString'],
  ['control,constructor', 'constructor'],
  [',', 'SLIPWAY_QUEUES'],
])('SLIPWAY_QUEUES=%s stops the start and names %s', (value, named) => {
  expect(() => queuesOf(parseSettings({ SLIPWAY_QUEUES: value }))).toThrow(named);
});

test('workflows run only on the queues of lifecycles and deliveries, and each queue has its own limit', () => {
  const settings = parseSettings({ TEMPORAL_NAMESPACE: 'own' });
  const activities = { submitTraining: () => undefined };
  const connection = {} as NativeConnection; // only passed on
  const options = queuesOf(settings).map((queue) =>
    workerOptions(queue, { settings, activities, codePath: '/b.js', connection, deployment }),
  );
  expect(
    options.filter(({ workflowBundle }) => workflowBundle !== undefined).map(({ taskQueue }) => taskQueue),
  ).toEqual(['control', 'notification']);
  for (const each of options) {
    expect(each).toMatchObject({ namespace: 'own', activities, connection });
    expect(each.maxConcurrentActivityTaskExecutions).toBe(
      QUEUES[each.taskQueue as keyof typeof QUEUES].maxConcurrentActivities,
    );
    expect(each.interceptors?.activity).toHaveLength(1);
  }
  const limits = options.map(({ maxConcurrentActivityTaskExecutions: limit = 0 }) => limit);
  expect(new Set(limits).size).toBe(limits.length);
});

const optionsWith = (queue: Queue, environment: Record<string, string>) =>
  workerOptions(queue, {
    ...{ settings: parseSettings(environment), activities: {}, codePath: '/b.js', deployment },
    connection: {} as NativeConnection, // only passed on
  });

test('supervision costs Temporal little; all other activities hear of a cancellation within 2 s', () => {
  const intervalOf = (queue: Queue) => Number(optionsWith(queue, {}).maxHeartbeatThrottleInterval);
  for (const queue of queuesOf(parseSettings({}))) if (queue !== 'supervision') expect(intervalOf(queue)).toBe(2_000);
  // One by the SDK and one that renews the lease: together one each 20 s at most, and two in each timeout.
  const timeoutMs = Number(/^(\d+)s$/.exec(String(phase('supervise').heartbeatTimeout))?.[1]) * 1_000;
  const intervals = [intervalOf('supervision'), leaseTimes(timeoutMs).renewMs];
  expect(Math.min(...intervals)).toBeGreaterThanOrEqual(40_000);
  expect(Math.max(...intervals)).toBeLessThanOrEqual(timeoutMs * 0.7);
  expect(QUEUES.supervision.maxConcurrentActivities).toBeGreaterThanOrEqual(2 * 1_000); // an update holds two
});

test('slots of a queue, polls and the cache of workflows are settings', () => {
  const environment = { SLIPWAY_SLOTS: 'packaging=8', SLIPWAY_POLLERS: '60', SLIPWAY_WORKFLOW_CACHE: '200' };
  expect(optionsWith('packaging', environment)).toMatchObject({
    maxConcurrentActivityTaskExecutions: 8,
    activityTaskPollerBehavior: { maximum: 8 }, // no more than there are slots
  });
  expect(optionsWith('packaging', environment).maxCachedWorkflows).toBeUndefined();
  expect(optionsWith('control', environment)).toMatchObject({
    maxConcurrentActivityTaskExecutions: QUEUES.control.maxConcurrentActivities,
    activityTaskPollerBehavior: { maximum: 60 },
    workflowTaskPollerBehavior: { maximum: 40 },
    maxCachedWorkflows: 200,
  });
  expect(optionsWith('control', {})).toMatchObject({
    activityTaskPollerBehavior: { maximum: 10 },
    workflowTaskPollerBehavior: { maximum: 10 },
  });
  expect(optionsWith('control', {}).maxCachedWorkflows).toBeUndefined();
});

test('a target for the load of the machine holds for packaging only', () => {
  const environment = { SLIPWAY_TARGET_USAGE: '0.8', SLIPWAY_SLOTS: 'packaging=16' };
  expect(optionsWith('packaging', environment).tuner).toMatchObject({
    tunerOptions: { targetMemoryUsage: 0.8, targetCpuUsage: 0.8 },
    activityTaskSlotOptions: { minimumSlots: 1, maximumSlots: 16 },
  });
  expect(optionsWith('packaging', {}).tuner).toBeUndefined();
  expect(optionsWith('supervision', environment)).toMatchObject({
    maxConcurrentActivityTaskExecutions: QUEUES.supervision.maxConcurrentActivities,
  });
  expect(optionsWith('supervision', environment).tuner).toBeUndefined();
});

test.each([
  ['SLIPWAY_SLOTS', 'kontrol=4', 'must be pairs such as packaging=4 of the queues control, waiting,'],
  ['SLIPWAY_SLOTS', 'packaging', 'must be a whole number from 1 to 10000'],
  ['SLIPWAY_SLOTS', 'packaging=0', 'must be a whole number from 1 to 10000'],
  ['SLIPWAY_TARGET_USAGE', '80', 'must be a share from 0.1 to 1, such as 0.8'],
  ['SLIPWAY_POLLERS', '1', 'must be a whole number from 2 to 100'],
  ['SLIPWAY_WORKFLOW_CACHE', '2.5', 'must be a whole number from 2 to 100000'],
])('%s=%s stops the start: %s', (name, value, message) => {
  expect(() => parseSettings({ [name]: value })).toThrow(message);
});

test('a worker that ends leaves a delivery the time of a whole attempt, and no other queue more than before', () => {
  const connection = {} as NativeConnection; // only passed on
  const parts = { settings: parseSettings({}), activities: {}, codePath: '/b.js', connection, deployment };
  for (const queue of ['control', 'waiting', 'packaging', 'notification'] as const) {
    const { shutdownGraceTime, shutdownForceTime } = workerOptions(queue, parts);
    const isForDeliveries = Number(shutdownForceTime) > Number(shutdownGraceTime) + ATTEMPT_MS;
    expect([queue, isForDeliveries]).toEqual([queue, queue === 'notification']);
    expect(Number(shutdownForceTime)).toBeLessThan(30_000); // the supervisor's SIGKILL
  }
});

test.each([
  [{}, { address: '127.0.0.1:7233', tls: undefined }],
  [
    { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_TLS: 'true' },
    { address: 'temporal:7233', tls: true },
  ],
  [{ TEMPORAL_API_KEY: 'key' }, { address: '127.0.0.1:7233', tls: true, apiKey: 'key' }],
  [{ TEMPORAL_TLS: 'false' }, { address: '127.0.0.1:7233', tls: undefined }],
])('with %o Temporal is reached by %o', (environment: Record<string, string>, options) => {
  expect(connectionOptions(parseSettings(environment))).toEqual(options);
});

test('a client of Temporal is made without a server, in the namespace of the settings', async () => {
  const client = createTemporalClient(parseSettings({ TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_NAMESPACE: 'own' }));
  expect(client.options.namespace).toBe('own');
  await client.connection.close();
});

const newKey = () => randomBytes(32).toString('base64');
test('secrets sealed under an earlier key can be read, and new ones are sealed under the present key', () => {
  const [old, present] = [newKey(), newKey()];
  const sealedBefore = openSecretBox(parseSettings({ SLIPWAY_SECRET_KEY: old })).seal('hidden', 'a');
  const box = openSecretBox(
    parseSettings({ SLIPWAY_SECRET_KEY: present, SLIPWAY_OLD_SECRET_KEYS: `${newKey()},${old}` }),
  );
  expect(box.open(sealedBefore, 'a')).toBe('hidden');
  const alone = openSecretBox(parseSettings({ SLIPWAY_SECRET_KEY: present }));
  expect(alone.open(box.seal('new', 'a'), 'a')).toBe('new');
  expect(() => alone.open(sealedBefore, 'a')).toThrow();
});

test.each([{}, { SLIPWAY_OLD_SECRET_KEYS: newKey() }])('without a key nothing is sealed: %o', (environment) => {
  expect(() => openSecretBox(parseSettings(environment))).toThrow(
    expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining('SLIPWAY_SECRET_KEY') }),
  );
});

test.each(['too short', newKey().slice(4)])('a key of another length is refused: %s', (key) => {
  expect(() => openSecretBox(parseSettings({ SLIPWAY_SECRET_KEY: key }))).toThrow();
});

test('the version is that of the package', () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
});
