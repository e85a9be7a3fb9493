import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { createSchedules, ensureLoopSchedules, scheduleId } from '../../../workers/compose/schedules.js';
import { newPipeline } from '../../activities/shared/resources.js';

interface Stored {
  spec: object;
  action: { args?: unknown[]; workflowType?: string; taskQueue?: string };
  policies: object;
  state: { paused: boolean; note?: string };
}

/** The schedules of a Temporal server in memory; `failing` names calls that do not get through. */
function open(failing: readonly string[] = []) {
  const stored = new Map<string, Stored>();
  const calls: string[] = [];
  const call = async <T>(name: string, id: string, work: () => T): Promise<T> => {
    calls.push(name);
    if (failing.includes(name)) throw new Error('14 UNAVAILABLE');
    if (name !== 'create' && !stored.has(id)) throw new ScheduleNotFoundError('no such schedule', id);
    return work();
  };
  const info = {
    nextActionTimes: [new Date('2026-02-01T06:00:00Z')],
    numActionsSkippedOverlap: 2,
    numActionsMissedCatchupWindow: 1,
  };
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    schedule: {
      create: ({ scheduleId: id, state = { paused: false }, ...parts }: Stored & { scheduleId: string }) =>
        call('create', id, () => {
          if (stored.has(id)) throw new ScheduleAlreadyRunning('it exists', id);
          stored.set(id, { ...parts, state });
        }),
      getHandle: (id: string) => ({
        describe: () => call('describe', id, () => ({ ...stored.get(id), info })),
        update: (change: (before: Stored) => Stored) =>
          call('update', id, () => {
            const before = stored.get(id);
            if (before !== undefined) stored.set(id, { ...before, ...change(before) });
          }),
        delete: () => call('delete', id, () => void stored.delete(id)),
        trigger: (overlap: unknown) => call(`trigger ${String(overlap)}`, id, () => undefined),
      }),
    },
  } as unknown as Client; // as much of it as schedules use
  const warnings: object[] = [];
  const log = { warn: (about: object) => void warnings.push(about) };
  return { client, stored, calls, warnings, schedules: createSchedules({ client, log }) };
}
const pipeline = (schedule: object, status: object = {}): Pipeline => {
  const made = newPipeline('wine', { triggers: { schedule } });
  return { ...made, status: { ...made.status, ...status } };
};
const PAUSED = { paused: { by: 'ada', at: '2026-01-01T00:00:00.000Z', note: 'the data are late' } };
const ID = scheduleId('wine');

test('a schedule starts a retraining with its cron, its zone, its jitter and its patience', async () => {
  const { schedules, stored, calls } = open();
  await schedules.reconcile(
    pipeline({ cron: '0 6 * * 1', timeZone: 'europe/paris', jitterSeconds: 30, catchupSeconds: 600 }),
  );
  expect(calls).toEqual(['describe', 'create']);
  expect(stored.get(ID)).toMatchObject({
    spec: { cronExpressions: ['0 6 * * 1'], timezone: 'Europe/Paris', jitter: 30_000 },
    action: { workflowType: 'retraining', taskQueue: 'control', args: [{ pipelineId: 'wine' }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 600_000 },
    state: { paused: false, note: '' },
  });
});

test('what is as it should be is not written again; what differs is', async () => {
  const { schedules, calls } = open();
  expect(await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }))).toBe(true);
  calls.length = 0;
  expect(await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }))).toBe(false);
  expect(calls).toEqual(['describe']);
  for (const changed of [pipeline({ cron: '0 7 * * 1' }), pipeline({ cron: '0 7 * * 1', timeZone: 'Asia/Tokyo' })]) {
    calls.length = 0;
    await schedules.reconcile(changed);
    expect(calls).toEqual(['describe', 'create', 'update']);
  }
});

test('a pause by hand stays until it is enforced', async () => {
  const { schedules, stored } = open();
  await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }));
  const made = stored.get(ID);
  if (made !== undefined) stored.set(ID, { ...made, state: { paused: true, note: 'by hand' } });
  await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }));
  expect(stored.get(ID)?.state).toEqual({ paused: true, note: 'by hand' });
  await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }), { enforce: true });
  expect(stored.get(ID)?.state).toEqual({ paused: false, note: '' });
});

test.each([
  ['is paused', { cron: '0 6 * * 1' }, PAUSED, { paused: true, note: 'the data are late', next: [] }],
  ['goes on', { cron: '0 6 * * 1' }, {}, { paused: false, note: '', next: ['2026-02-01T06:00:00.000Z'] }],
])('a schedule that %s is described with what was left out', async (_name, schedule, status, expected) => {
  const { schedules } = open();
  const given = pipeline(schedule, status);
  await schedules.reconcile(given);
  expect(await schedules.describe(given)).toEqual({ ...expected, skipped: 2, missed: 1 });
});

test('a pipeline without a schedule, and one that is removed, have none on the server', async () => {
  const { schedules, stored, calls, warnings } = open();
  await schedules.reconcile(pipeline({}));
  expect(calls).toEqual(['describe']);
  await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }));
  await schedules.reconcile(pipeline({}));
  expect([stored.size, await schedules.describe(pipeline({}))]).toEqual([0, undefined]);
  await schedules.remove('wine');
  expect(warnings).toEqual([]);
});

test('a schedule is triggered beside no open run, and a missing one is not found', async () => {
  const { schedules, calls } = open();
  await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }));
  await schedules.trigger('wine');
  expect(calls.at(-1)).toBe(`trigger ${ScheduleOverlapPolicy.SKIP}`);
  await expect(schedules.trigger('iris')).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('iris'),
  });
});

test.each([
  ['describe', 'reconcile'],
  ['create', 'reconcile'],
  ['delete', 'remove'],
])('when "%s" does not get through, a %s is left to the sweep', async (failing, operation) => {
  const { schedules, warnings } = open([failing]);
  if (operation === 'remove') await schedules.remove('wine');
  else await schedules.reconcile(pipeline({ cron: '0 6 * * 1' }));
  expect(warnings).toMatchObject([{ pipeline: 'wine', err: expect.anything() }]);
});

test('questions that do not get through are unavailable', async () => {
  const { schedules } = open(['describe', `trigger ${ScheduleOverlapPolicy.SKIP}`]);
  await expect(schedules.describe(pipeline({ cron: '0 6 * * 1' }))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(schedules.trigger('wine')).rejects.toMatchObject({ code: 'unavailable' });
});

test('repair, triggers and upkeep have a schedule each, none of which waits for another', async () => {
  const { client, stored } = open();
  await ensureLoopSchedules(client, 60);
  const loops = [...stored].map(([id, { spec, action }]) => [id, action.workflowType, spec]);
  expect(loops).toEqual([
    ['sweep/starts', 'sweep', { intervals: [{ every: 60_000 }] }],
    ['sweep/triggers', 'triggers', { intervals: [{ every: 60_000 }] }],
    ['sweep/upkeep', 'upkeep', { intervals: [{ every: 3_600_000 }] }],
  ]);
  for (const { policies } of stored.values()) expect(policies).toMatchObject({ overlap: ScheduleOverlapPolicy.SKIP });
  await expect(ensureLoopSchedules(open(['create']).client, 60)).rejects.toThrow('14');
});

test('the schedule of an earlier version is brought up to date, and keeps its pause', async () => {
  const { client, stored } = open();
  const policies = { overlap: ScheduleOverlapPolicy.SKIP };
  const [spec, action] = [{ intervals: [{ every: 30_000 }] }, { workflowType: 'sweep', taskQueue: 'control' }];
  stored.set('sweep/starts', { spec, action, policies, state: { paused: true, note: 'maintenance' } });
  await ensureLoopSchedules(client, 60);
  expect(stored.get('sweep/starts')).toMatchObject({
    spec: { intervals: [{ every: 60_000 }] },
    state: { paused: true, note: 'maintenance' },
  });
  expect(stored.size).toBe(3);
});
