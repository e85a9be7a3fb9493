import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';

/** Creates the schedule of the sweep, or brings it to the wanted interval. */
export async function ensureSweepSchedule(client: Client, everySeconds: number): Promise<void> {
  const scheduleId = 'sweep/starts';
  const schedule = {
    spec: { intervals: [{ every: everySeconds * 1_000 }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'sweep',
      workflowId: 'sweep',
      taskQueue: 'control',
      args: [],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' as const },
  };
  try {
    await client.schedule.create({ scheduleId, ...schedule });
  } catch (err) {
    if (!(err instanceof ScheduleAlreadyRunning)) throw err;
    await client.schedule.getHandle(scheduleId).update((previous) => ({ ...schedule, state: previous.state }));
  }
}
