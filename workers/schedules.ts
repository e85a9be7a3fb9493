import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.js';

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
      staticSummary: 'look for runs that did not start and for cancellations that were not heard',
      typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.resourceKind, value: 'sweep' }],
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
