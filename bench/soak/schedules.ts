import type { Client } from '@temporalio/client';
import { scheduleId } from '../../workers/compose/schedules.js';

interface Pace {
  everySeconds: number;
  spread: number;
}

/** Lets minutely schedules run every so many seconds. */
export async function compressSchedules(
  client: Client,
  ids: readonly string[],
  { everySeconds, spread }: Pace,
): Promise<void> {
  const everyMs = everySeconds * 1_000;
  for (const id of ids) {
    await client.schedule.getHandle(scheduleId(id)).update(({ action, policies, state }) => ({
      ...{ action, policies, state },
      spec: { intervals: [{ every: everyMs }], jitter: everyMs * spread },
    }));
  }
}

/** The counters that the server keeps of its schedules. */
export async function countersOf(client: Client, ids: readonly string[]) {
  const sums = { actions: 0, skippedByOverlap: 0, missedCatchup: 0 };
  for (const id of ids) {
    const { info } = await client.schedule.getHandle(scheduleId(id)).describe();
    sums.actions += info.numActionsTaken;
    sums.skippedByOverlap += info.numActionsSkippedOverlap;
    sums.missedCatchup += info.numActionsMissedCatchupWindow;
  }
  return sums;
}
