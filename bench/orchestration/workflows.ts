import { proxyActivities } from '@temporalio/workflow';
import type * as activities from './activities.js';

const { nothing } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: '2m',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

/** The cost of orchestration alone: one trivial activity after the other. */
export async function sequence(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await nothing();
}
