import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { nextTimes, scheduleProblem } from '../../../lifecycle/kinds/schedule.js';
import { priorityOf } from '../../../workers/compose/fairness.js';
import { createSchedules, ensureLoopSchedules, scheduleId } from '../../../workers/compose/schedules.js';
import { SEARCH_ATTRIBUTES } from '../../../workflows/search-attributes.js';
import { registerNamespace } from '../../stack/temporal-namespace.js';

let connection: Connection;
let client: Client;
const said: unknown[] = [];
/** A busy server has the time that it needs. */
const schedulesOf = (of: Client, more: { deadlineMs: number; listDeadlineMs?: number } = { deadlineMs: 60_000 }) =>
  createSchedules({ client: of, log: { warn: (...words: unknown[]) => void said.push(words) }, ...more });

beforeAll(async () => {
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
  client = new Client({ connection, namespace: await registerNamespace(`schedules-${randomUUID()}`) });
});
afterAll(() => connection.close());

/** As much of a pipeline as its schedule is made of. */
function newPipeline(schedule: object, status: object = {}, id = `pipe-${randomUUID().slice(0, 8)}`): Pipeline {
  const settings = { timeZone: 'UTC', jitterSeconds: 0, catchupSeconds: 60, ...schedule };
  return { id, spec: { triggers: { schedule: settings } }, status } as unknown as Pipeline;
}
const describe = (id: string) => client.schedule.getHandle(scheduleId(id)).describe();
const toTimestamp = (at: string) => ({ seconds: Math.floor(Date.parse(at) / 1_000) as never, nanos: 0 });

/** When the server would start runs in the days that follow `from`, which is not one of them. */
async function serverTimes({ id }: Pipeline, from: string, days: number): Promise<string[]> {
  const until = new Date(Date.parse(from) + days * 86_400_000).toISOString();
  const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
    namespace: client.options.namespace,
    scheduleId: scheduleId(id),
    startTime: toTimestamp(from),
    endTime: toTimestamp(until),
  });
  return startTime.map(({ seconds }) => new Date(Number(seconds) * 1_000).toISOString());
}

// prettier-ignore
const FORMS: readonly [cron: string, days: number, timeZone?: string][] = [
  ['* * * * *', 0.1], ['1,1,31 * * * *', 1], ['*,1 * * * *', 0.1], ['*/15 * * * *', 1], ['*/40 * * * *', 1], ['0-59/7 * * * *', 1], ['00 09 * * *', 9],
  ['0 9-17/2 * * *', 9], ['0 */7 * * *', 9], ['0 6 1,15 * *', 90], ['0 6 */2 * *', 64], ['0 6 31 * *', 400], ['0 0 29 2 *', 4_000],
  ['0 6 * * 0', 30], ['0 6 * * 7', 30], ['0 6 * * SUN', 30], ['0 6 * * sun', 30], ['0 6 * * 0-7', 9], ['0 6 * * 5-7', 30], ['0 6 * * 7-7', 30],
  ['0 6 * * MON-FRI', 30], ['0 6 * * Mon,wed', 30], ['0 6 * * 1-5/2', 30], ['0 6 * * */2', 30], ['0 6 * * 1-7/3', 30], ['0 6 * * SUN-SAT', 9],
  ['0 0 1 JAN *', 800], ['0 0 1 jan-mar *', 800], ['0 0 1 */5 *', 800], ['0 0 1 2,OCT *', 800], [' 0\t6  * * MON ', 30],
  ['0 9 * * *', 9, 'Europe/Paris'], ['0 9 * * *', 9, 'europe/paris'], ['30 0 * * 1', 30, 'Asia/Kolkata'], ['0 9 * * *', 9, 'US/Eastern'], ['0 0 1 1 *', 800, 'Pacific/Auckland'],
];
test.each(FORMS)('the server takes "%s" and means the same %f days', async (cron, days, timeZone = 'UTC') => {
  const schedule = { cron, timeZone };
  expect(scheduleProblem(schedule)).toBeUndefined();
  const pipeline = newPipeline(schedule, { paused: { by: 'ann', at: '', note: '' } });
  await schedulesOf(client).reconcile(pipeline);
  const from = '2026-05-31T23:59:59.000Z';
  const until = new Date(Date.parse(from) + days * 86_400_000).toISOString();
  const ours = nextTimes(schedule, 1_000, new Date(from)).filter((time) => time <= until);
  expect(ours.length).toBeGreaterThan(0);
  expect(await serverTimes(pipeline, from, days)).toEqual(ours);
  expect(said).toEqual([]);
});

// A schedule that the two read differently is refused before it gets there.
test.each(['0 0 13 * FRI', '0 0 L * *', '0 0 15W * *'])('the server means something else by "%s"', async (cron) => {
  expect(scheduleProblem({ cron, timeZone: 'UTC' })).toBeDefined();
  const pipeline = newPipeline({ cron });
  await schedulesOf(client).reconcile(pipeline);
  const from = '2026-05-31T23:59:59.000Z';
  const ours = nextTimes({ cron, timeZone: 'UTC' }, 3, new Date(from));
  const theirs = await serverTimes(pipeline, from, 800).catch(() => []);
  expect(theirs.slice(0, 3)).not.toEqual(ours);
  said.length = 0;
});

test('where clocks are put forward, a time that does not exist is left out; put back, it comes once', async () => {
  const pipeline = newPipeline({ cron: '30 2 * * *', timeZone: 'Europe/Paris' });
  await schedulesOf(client).reconcile(pipeline);
  expect(await serverTimes(pipeline, '2026-03-28T00:00:00Z', 3)).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  expect(await serverTimes(pipeline, '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T01:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

test('a schedule is made, changed and removed by what the pipeline says', async () => {
  const schedules = schedulesOf(client);
  const pipeline = newPipeline({ cron: '0 6 * * *', jitterSeconds: 5, catchupSeconds: 120 });
  await schedules.reconcile(pipeline);
  const made = await describe(pipeline.id);
  expect(made.policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 120_000 });
  expect(made.spec.jitter).toBe(5_000);
  expect(made.action).toMatchObject({ workflowType: 'retraining', taskQueue: 'control' });
  expect(made.action.args?.[0]).toMatchObject({ pipelineId: pipeline.id });
  await schedules.reconcile(pipeline);
  expect((await describe(pipeline.id)).info.lastUpdatedAt).toEqual(made.info.lastUpdatedAt);

  const changed = newPipeline({ cron: '0 7 * * *', timeZone: 'Asia/Tokyo' }, {}, pipeline.id);
  await schedules.reconcile(changed);
  const state = await schedules.describe(changed);
  expect(state).toMatchObject({ paused: false, note: '', skipped: 0, missed: 0 });
  expect(state?.next[0]).toMatch(/T22:00:00.000Z$/);

  await schedules.reconcile(newPipeline({}, {}, pipeline.id));
  expect(await schedules.describe(pipeline)).toBeUndefined();
  await schedules.reconcile(newPipeline({}, {}, pipeline.id));
  await schedules.remove(pipeline.id);
  expect(said).toEqual([]);
});

test('of many pipelines, those are outdated whose schedule is missing, left over or another', async () => {
  const schedules = schedulesOf(client);
  const [current, missing, left, changed, none] = ['1', '2', '3', '4', ''].map((hour) =>
    newPipeline(hour === '' ? {} : { cron: `0 ${hour} * * *` }),
  ) as [Pipeline, Pipeline, Pipeline, Pipeline, Pipeline];
  for (const pipeline of [current, left, changed]) await schedules.reconcile(pipeline);
  const asked = [
    current,
    missing,
    newPipeline({}, {}, left.id),
    newPipeline({ cron: '0 9 * * *' }, {}, changed.id),
    none,
  ];
  const outdated = async () => (await schedules.outdated(asked)).map(({ id }) => id);
  // The server lists a schedule some time after it was written.
  await vi.waitFor(async () => expect(await outdated()).toEqual([missing.id, left.id, changed.id]), {
    timeout: 30_000,
  });
  for (const pipeline of asked) await schedules.reconcile(pipeline);
  await vi.waitFor(async () => expect(await outdated()).toEqual([]), { timeout: 30_000 });
  for (const { id } of asked) await schedules.remove(id);
  expect(said).toEqual([]);
});

test('a schedule of an earlier version is listed after one look, and a pause that was set by hand stays', async () => {
  const schedules = schedulesOf(client);
  const pipeline = newPipeline({ cron: '0 6 * * *' });
  await schedules.reconcile(pipeline);
  const handle = client.schedule.getHandle(scheduleId(pipeline.id));
  // As an earlier version wrote it.
  await handle.update(({ searchAttributes: _, ...earlier }) => ({ ...earlier, typedSearchAttributes: [] }));
  await handle.pause('by hand');
  // The server changes search attributes some time after it has taken the update.
  const isListed = async (): Promise<boolean> =>
    (await handle.describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTES.settings) !== undefined;
  await vi.waitFor(async () => expect(await isListed()).toBe(false), { timeout: 30_000 });
  expect(await schedules.reconcile(pipeline)).toBe(true);
  await vi.waitFor(async () => expect(await isListed()).toBe(true), { timeout: 30_000 });
  expect(await schedules.describe(pipeline)).toMatchObject({ paused: true, note: 'by hand' });
  expect(await schedules.reconcile(pipeline)).toBe(false);
});

test('the runs of a schedule use the share of the owner of the pipeline, also when the owner becomes known later', async () => {
  const schedules = schedulesOf(client);
  const pipeline = newPipeline({ cron: '0 6 * * *' });
  await schedules.reconcile(pipeline);
  const keyOf = async () => (await describe(pipeline.id)).action.priority?.fairnessKey;
  expect(await keyOf()).toBeFalsy();
  await schedules.reconcile({ ...pipeline, createdBy: 'ada' });
  expect(await keyOf()).toBe(priorityOf({ createdBy: 'ada' })?.fairnessKey);
});

test('a pause has its note and no next times; a missing schedule cannot be started', async () => {
  const schedules = schedulesOf(client);
  const paused = { by: 'ann', at: '2026-01-01T00:00:00.000Z', note: 'the data is broken' };
  const pipeline = newPipeline({ cron: '0 6 * * *' }, { paused });
  await schedules.reconcile(pipeline);
  expect(await schedules.describe(pipeline)).toMatchObject({ paused: true, note: paused.note, next: [] });
  await schedules.reconcile({ ...pipeline, status: {} as Pipeline['status'] });
  expect(await schedules.describe(pipeline)).toMatchObject({ paused: false, note: '' });
  await expect(schedules.trigger('unknown')).rejects.toMatchObject({ code: 'not_found' });
});

test('a pause that was set by hand stays until it is resumed', async () => {
  const schedules = schedulesOf(client);
  const pipeline = newPipeline({ cron: '0 6 * * *' });
  await schedules.reconcile(pipeline);
  await client.schedule.getHandle(scheduleId(pipeline.id)).pause('by hand');
  await schedules.reconcile(pipeline);
  expect(await schedules.describe(pipeline)).toMatchObject({ paused: true, note: 'by hand' });
  await schedules.reconcile(pipeline, { enforce: true });
  expect(await schedules.describe(pipeline)).toMatchObject({ paused: false, note: '' });
});

test('many reconciles at once end in one schedule', async () => {
  const schedules = schedulesOf(client);
  const pipeline = newPipeline({ cron: '0 6 * * *' });
  await Promise.all(Array.from({ length: 8 }, () => schedules.reconcile(pipeline)));
  expect(await schedules.describe(pipeline)).toMatchObject({ paused: false });
  expect(said).toEqual([]);
});

test('the schedules of the loops take their interval from every start', async () => {
  await ensureLoopSchedules(client, 60);
  await ensureLoopSchedules(client, 30);
  const { spec, policies } = await client.schedule.getHandle('sweep/starts').describe();
  expect(spec.intervals).toEqual([expect.objectContaining({ every: 30_000 })]);
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 60_000 });
});

test('without a server, changes are left to the sweep, and questions say so', async () => {
  const lost = Connection.lazy({ address: '127.0.0.1:1' });
  const schedules = schedulesOf(new Client({ connection: lost }), { deadlineMs: 1_000, listDeadlineMs: 1_000 });
  const pipeline = newPipeline({ cron: '0 6 * * *' });
  await schedules.reconcile(pipeline);
  await schedules.remove(pipeline.id);
  expect(said).toHaveLength(2);
  said.length = 0;
  await expect(schedules.describe(pipeline)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(schedules.outdated([pipeline])).rejects.toMatchObject({ code: 'unavailable' });
  await expect(schedules.trigger(pipeline.id)).rejects.toMatchObject({ code: 'unavailable' });
  await lost.close();
});
