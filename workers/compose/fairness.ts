import { createHash } from 'node:crypto';
import type { Priority } from '@temporalio/common';

/**
 * The share of the task queues that the runs of one owner use: a server with fairness takes the waiting tasks of all
 * owners in turn. Child runs and activities inherit it. A server without fairness ignores it.
 */
export function priorityOf({ createdBy }: { createdBy?: string }): Priority | undefined {
  if (createdBy === undefined) return undefined;
  // A name may be longer than the 64 bytes of a key, and is personal: histories are kept for long and read by many.
  return { fairnessKey: createHash('sha256').update(createdBy).digest('hex').slice(0, 32) };
}
