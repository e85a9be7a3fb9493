import {
  type Client,
  type WorkflowOptions,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowExecutionAlreadyStartedError,
  Connection,
  Client as TemporalClient,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, CancelledFailure, RetryState } from '@temporalio/common';
import { afterAll, expect, test } from 'vitest';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import type { Watch } from '../../../notifications/kinds/watch.js';
import type { RunRef } from '../../../platform/kinds/ids.js';
import type { OwnedRef } from '../../../platform/kinds/runs.js';
import type { Database, Row } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createDatasets } from '../../../reference/stores/datasets.js';
import { parseSettings } from '../../../config.js';
import { createApprovals } from '../../../workers/compose/approvals.js';
import { createImportRuns, isImportOpen } from '../../../workers/compose/import-runs.js';
import { createLostWakeUps } from '../../../notifications/stores/lost-wake-ups.js';
import { createNotifications } from '../../../workers/compose/notifications.js';
import { createRuns, isRunOpen } from '../../../workers/compose/runs.js';
import { createSchedules } from '../../../workers/compose/schedules.js';
import { createWatchStart, createWatchStores, openWatchDeps } from '../../../workers/compose/watches.js';
import { until } from '../../stack/scratch.js';

const REF: RunRef = { id: 'wine', uid: 'u-1', generation: 2 };
const absent = () => new WorkflowNotFoundError('no such workflow', 'x', undefined);

/** A client of Temporal that notes its calls; `answers` say what the server would. */
function noting(answers: Record<string, (options: never) => unknown> = {}) {
  const calls: [name: string, ...details: unknown[]][] = [];
  const call =
    (name: string) =>
    async (...details: unknown[]) => {
      calls.push([name, ...details]);
      return answers[name]?.(details.at(-1) as never);
    };
  const handle = (id: string, runId?: string) => ({
    describe: call(`describe ${id}`),
    cancel: call(`cancel ${id} ${runId ?? 'any run'}`),
    executeUpdate: call(`update ${id}`),
  });
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    workflow: { start: call('start'), signalWithStart: call('signalWithStart'), getHandle: handle },
  } as unknown as Client; // as much of it as is used here
  return { client, calls, names: () => calls.map(([name]) => name) };
}
function logged() {
  const warnings: object[] = [];
  return { warnings, log: { warn: (about: object) => void warnings.push(about) } };
}
const fails = (error: unknown) => () => {
  throw error;
};

const lost = Connection.lazy({ address: '127.0.0.1:1' });
const away = new TemporalClient({ connection: lost });
afterAll(() => lost.close());

// prettier-ignore
test.each([
  ['training', [REF]],
  ['packaging', [REF]],
  ['deployment', [{ ref: REF }]],
] as const)('a changed %s starts its workflow or signals the open one, in one call', async (kind, args) => {
  const { client, calls } = noting();
  await createRuns({ client, log: logged().log }).changed(kind, REF);
  expect(calls).toEqual([['signalWithStart', kind, expect.objectContaining({
    ...{ workflowId: `${kind}/wine`, taskQueue: 'control', args, signal: 'changed', signalArgs: [REF] },
    memo: { uid: 'u-1', generation: 2 },
  })]]);
});

test.each([
  ['pipeline', 'run/wine'],
  ['batchJob', 'inference-job/wine'],
] as const)('the workflow of a %s is %s; an open one of an earlier release keeps its id', async (kind, id) => {
  const earlier = `${kind}/wine`;
  for (const [name, used] of [
    ['RUNNING', earlier],
    ['COMPLETED', id],
  ]) {
    const { client, calls } = noting({ [`describe ${earlier}`]: () => ({ status: { name } }) });
    await createRuns({ client, log: logged().log }).changed(kind, REF);
    expect(calls.at(-1)).toMatchObject(['signalWithStart', kind, { workflowId: used }]);
  }
  const { client, names } = noting({ [`describe ${earlier}`]: fails(absent()) });
  await createRuns({ client, log: logged().log }).changed(kind, REF);
  expect(names()).toEqual([`describe ${earlier}`, 'signalWithStart']);
});

test('the runs of an owner share a key that names no one and that a server takes, however long the name is', async () => {
  const keyOf = async (resource: OwnedRef) => {
    const { client, calls } = noting();
    await createRuns({ client, log: logged().log }).changed('training', resource);
    return (calls[0]?.[2] as WorkflowOptions).priority?.fairnessKey;
  };
  const ada = `${'a'.repeat(200)}@example.com`;
  const key = await keyOf({ ...REF, createdBy: ada });
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(await keyOf({ ...REF, id: 'other', createdBy: ada })).toBe(key);
  expect(await keyOf({ ...REF, createdBy: 'bob' })).not.toBe(key);
  expect(await keyOf(REF)).toBeUndefined();
});

test.each([
  ['of this generation', { uid: 'u-1', generation: 2 }, ['describe training/wine', 'cancel training/wine r-7']],
  ['of the next one', { uid: 'u-1', generation: 3 }, ['describe training/wine']],
  ['of a resource that was created again', { uid: 'u-2', generation: 2 }, ['describe training/wine']],
  ['of an earlier version, without a memo', undefined, ['describe training/wine']],
])('a cancellation reaches only the run of its generation: %s', async (_name, memo, calls) => {
  const { client, names } = noting({ 'describe training/wine': () => ({ runId: 'r-7', memo }) });
  await createRuns({ client, log: logged().log }).cancel('training', REF);
  expect(names()).toEqual(calls);
});

test('a run that has ended needs no cancellation, and what cannot be reached is left to the sweep', async () => {
  const { warnings, log } = logged();
  const ended = noting({ 'describe training/wine': fails(absent()) });
  await createRuns({ client: ended.client, log }).cancel('training', REF);
  expect(warnings).toEqual([]);
  const broken = noting({
    signalWithStart: fails(new Error('14 UNAVAILABLE')),
    'describe training/wine': fails(new Error('14')),
  });
  const runs = createRuns({ client: broken.client, log });
  await runs.changed('training', REF);
  await runs.cancel('training', REF);
  expect(warnings).toMatchObject([{ ref: REF }, { ref: REF }]);
});

test.each([
  ['RUNNING', true],
  ['COMPLETED', false],
  ['CANCELLED', false],
  ['TERMINATED', false],
])('a workflow that is %s is open: %s', async (name, isOpen) => {
  const describe = () => ({ status: { name } });
  const { client } = noting({ 'describe training/wine': describe, 'describe import/i-1': describe });
  expect(await isRunOpen(client, 'training', 'wine')).toBe(isOpen);
});

test('a workflow that is not there is not open, and one that cannot be asked for is an error', async () => {
  expect(await isRunOpen(noting({ 'describe training/wine': fails(absent()) }).client, 'training', 'wine')).toBe(false);
  const broken = noting({ 'describe training/wine': fails(new Error('14')) });
  await expect(isRunOpen(broken.client, 'training', 'wine')).rejects.toThrow('14');
});

test('an import shares the key of its owner', async () => {
  const keyOf = async (actor: string) => {
    const { client, calls } = noting();
    await createImportRuns({ client }).start({ id: 'imp_1', actor });
    return (calls[0]?.[2] as WorkflowOptions).priority?.fairnessKey;
  };
  expect(await keyOf('ada')).toMatch(/^[0-9a-f]{32}$/);
  expect(await keyOf('ada')).not.toBe(await keyOf('bob'));
});

test('an import has one run, which is started once and canceled while it goes on', async () => {
  const { client, calls } = noting();
  const runs = createImportRuns({ client });
  await runs.start({ id: 'imp_1', actor: 'ada' });
  await runs.cancel('imp_1');
  const [start, cancel] = calls;
  expect(start).toMatchObject([
    'start',
    'datasetImport',
    { taskQueue: 'control', args: [{ importId: 'imp_1' }], workflowIdConflictPolicy: 'USE_EXISTING' },
  ]);
  expect(cancel?.[0]).toBe(`cancel ${(start?.[2] as { workflowId: string }).workflowId} any run`);
  const workflow = (start?.[2] as { workflowId: string }).workflowId;
  const open = noting({ [`describe ${workflow}`]: () => ({ status: { name: 'RUNNING' } }) });
  expect(await isImportOpen(open.client, 'imp_1')).toBe(true);
  const ended = noting({ [`cancel ${workflow} any run`]: fails(absent()) });
  await createImportRuns({ client: ended.client }).cancel('imp_1');
});

const NO_EARLIER = { 'describe pipeline/wine-3': fails(absent()) };
const updateFailed = (cause: Error) => new WorkflowUpdateFailedError('update failed', cause);
const inActivity = (cause: Error) =>
  new ActivityFailure('failed', 'decide', '1', RetryState.NON_RETRYABLE_FAILURE, 'test', cause);
// prettier-ignore
test.each<[string, unknown, string, string]>([
  ['of a run that has ended', absent(), 'not_waiting', 'wine-3'],
  ['that the workflow refuses', updateFailed(ApplicationFailure.nonRetryable('decided by ada', 'not_waiting')), 'not_waiting', 'decided by ada'],
  ['that the store refuses', updateFailed(inActivity(ApplicationFailure.nonRetryable('generation 2 is gone', 'stale_generation'))), 'not_waiting', 'generation 2 is gone'],
  ['of a run that is canceled meanwhile', updateFailed(inActivity(new CancelledFailure('canceled'))), 'not_waiting', 'wine-3'],
  ['that fails in another way', updateFailed(ApplicationFailure.nonRetryable('secret detail', 'internal')), 'unavailable', 'may or may not'],
  ['without a server', new Error('14 UNAVAILABLE: secret detail'), 'unavailable', 'may or may not'],
])('a decision %s is %s', async (_name, error, code, text) => {
  const { client } = noting({ ...NO_EARLIER, 'update run/wine-3': fails(error) });
  const run = { id: 'wine-3', generation: 2, status: { state: 'scheduling' } } as PipelineRun; // no more is read
  const approval = { decision: 'approved', by: 'ada', at: '2026-01-01T00:00:00.000Z', reason: 'checked' } as const;
  const deciding = createApprovals({ client }).decide(run, approval, 'key-1');
  await expect(deciding).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  await expect(deciding).rejects.toMatchObject({ message: expect.not.stringContaining('secret detail') });
});

test('a decision is an update of the run in its generation, with the key of the request', async () => {
  const approval = { decision: 'rejected', by: 'ada', at: '2026-01-01T00:00:00.000Z', reason: 'late' } as const;
  const callOf = async (answers: Parameters<typeof noting>[0]) => {
    const { client, calls } = noting(answers);
    await createApprovals({ client }).decide({ id: 'wine-3', generation: 2 } as PipelineRun, approval, 'key-1');
    return calls.at(-1);
  };
  const update = ['decide', { args: [{ approval, generation: 2 }], updateId: 'key-1' }];
  expect(await callOf(NO_EARLIER)).toEqual(['update run/wine-3', ...update]);
  const isOpen = { 'describe pipeline/wine-3': () => ({ status: { name: 'RUNNING' } }) };
  expect(await callOf(isOpen)).toEqual(['update pipeline/wine-3', ...update]);
});

test('a subscription is woken by starting or signaling its workflow; a wake-up that fails is kept for the sweep', async () => {
  const { client, calls } = noting();
  const { warnings, log } = logged();
  const lost = createLostWakeUps({ database: createMemoryDatabase() });
  await createNotifications({ client, log, lost }).wake('sub_1');
  expect(calls).toMatchObject([
    ['signalWithStart', 'notification', { taskQueue: 'notification', args: [{ subscriptionId: 'sub_1' }] }],
  ]);
  const broken = noting({ signalWithStart: fails(new Error('14')) });
  await createNotifications({ client: broken.client, log, lost }).wake('sub_2');
  expect(warnings).toMatchObject([{ subscriptionId: 'sub_2' }]);
  expect(await lost.list()).toEqual(['sub_2']);
  const isAway = { add: fails(new Error('the database is away')) };
  await createNotifications({ client: broken.client, log, lost: isAway }).wake('sub_3');
  expect(warnings).toHaveLength(3);
});

test('without a server reads and wishes differ: wishes are logged, decisions and imports are unavailable', async () => {
  const { warnings, log } = logged();
  const deadlineMs = 50;
  const schedules = createSchedules({ client: away, log, deadlineMs });
  await schedules.remove('wine');
  expect(warnings).toHaveLength(1);
  await expect(schedules.trigger('wine')).rejects.toMatchObject({ code: 'unavailable' });
  const broken = noting({ start: fails(new Error('14')) });
  await expect(createImportRuns({ client: broken.client }).start({ id: 'imp_1', actor: 'ada' })).rejects.toMatchObject({
    code: 'unavailable',
  });
});

const watch = (id: string, state: string) =>
  ({
    ...{ kind: 'Watch', id, uid: id, generation: 1, revision: 0, createdBy: 'ada', updatedBy: 'ada', spec: {} },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z', status: { state } },
  }) as unknown as Watch; // nothing else is read

test.each<[string, string, string[], number]>([
  ['with a watch', 'notification', ['active'], 1],
  ['with removed watches only', 'notification', ['removed', 'removed'], 0],
  ['without a watch', 'notification', [], 0],
  ['on other queues', 'control,waiting', ['active'], 0],
])(
  'a worker %s on the queues "%s" keeps the evaluator running: %j, %i starts',
  async (_name, queues, states, starts) => {
    const database = createMemoryDatabase();
    const { watches } = createWatchStores(database);
    for (const [at, state] of states.entries()) await watches.insert(watch(`w${at}`, state));
    let listed = 0;
    const counting: Database = {
      ...database,
      table: <R extends Row>(name: string) => {
        listed += 1;
        return database.table<R>(name);
      },
    };
    const started = noting({ start: fails(new WorkflowExecutionAlreadyStartedError('it runs', 'watches', 'watches')) });
    const { warnings, log } = logged();
    const settings = parseSettings({ SLIPWAY_QUEUES: queues });
    const objects = createMemoryObjects();
    const context = { settings, log: log as never, client: started.client, database: counting, objects };
    openWatchDeps({ ...context, datasets: createDatasets({ database }) });
    if (starts > 0) await until(() => started.calls.length > 0);
    else await new Promise(setImmediate);
    expect(started.calls).toHaveLength(starts);
    expect(warnings).toEqual([]);
    expect(listed).toBeGreaterThan(0);
  },
);

test('a new watch wakes the evaluator; one that cannot be woken is left to a worker', async () => {
  const { client, calls } = noting();
  const { warnings, log } = logged();
  await createWatchStart({ client, log })();
  expect(calls).toMatchObject([['signalWithStart', 'watches', { taskQueue: 'notification', args: [] }]]);
  await createWatchStart({ client: noting({ signalWithStart: fails(new Error('14')) }).client, log })();
  expect(warnings).toHaveLength(1);
});
