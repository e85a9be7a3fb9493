import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { PipelineSpec, type Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { createSchedules, scheduleId } from '../../../workers/compose/schedules.js';
import { newPipeline } from '../../activities/shared/resources.js';
import { until } from '../../e2e/until.js';
import { registerNamespace } from '../../stack/temporal-namespace.js';
import { killService, startService } from '../../stack/test-stack.js';

/** A schedule of every minute that makes up for so long a delay. */
const everyMinute = (catchupSeconds: number): Pipeline => ({
  ...newPipeline(`pipe-${randomUUID().slice(0, 8)}`),
  spec: PipelineSpec.parse({ triggers: { schedule: { cron: '* * * * *', catchupSeconds } } }),
});

test('Temporal that was away makes up for no more than the catch-up says', async () => {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
  const client = new Client({ connection, namespace: await registerNamespace(`outage-${randomUUID()}`) });
  const schedules = createSchedules({ client, log: { warn: () => undefined }, deadlineMs: 30_000 });
  // None of its minutes may come before it is down.
  const restMs = 60_000 - (Date.now() % 60_000);
  if (restMs < 20_000) await sleep(restMs + 1_000);
  const minute = Math.ceil(Date.now() / 60_000) * 60_000;
  const [strict, lenient] = [everyMinute(10), everyMinute(300)];
  await schedules.reconcile(strict);
  await schedules.reconcile(lenient);
  const infoOf = ({ id }: Pipeline) =>
    client.schedule
      .getHandle(scheduleId(id))
      .describe()
      .then(({ info }) => info);

  // A schedule counts from when the server has taken it up, which it shows by planning.
  for (const pipeline of [strict, lenient]) {
    await until('the schedule to be planned', async () => (await infoOf(pipeline)).nextActionTimes.length > 0);
  }

  // Down before that minute, and up again well behind it.
  await killService('temporal');
  expect(Date.now()).toBeLessThan(minute);
  await sleep(minute + 20_000 - Date.now());
  await startService('temporal');

  // A server that comes back takes its time to look at its schedules.
  await until(
    'the missed start to be counted',
    async () => ((await schedules.describe(strict).catch(() => undefined))?.missed ?? 0) > 0,
    { seconds: 180 },
  );
  const made = await until('the late start', async () => {
    const { recentActions = [] } = (await infoOf(lenient).catch(() => undefined)) ?? {};
    return recentActions.length > 0 && recentActions;
  });
  expect(made.map(({ scheduledAt }) => scheduledAt.getTime())[0]).toBe(minute);
  expect((await infoOf(strict)).recentActions.filter(({ scheduledAt }) => scheduledAt.getTime() === minute)).toEqual(
    [],
  );
  // Both go on behind it.
  for (const pipeline of [strict, lenient]) {
    await until('the next turn', async () => {
      const [next = ''] = (await schedules.describe(pipeline).catch(() => undefined))?.next ?? [];
      return Date.parse(next) > minute;
    });
  }
  await schedules.remove(strict.id);
  await schedules.remove(lenient.id);
  await connection.close();
}, 600_000);
