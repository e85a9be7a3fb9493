import type { RetryPolicy } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { MockActivityEnvironment } from '@temporalio/testing';

interface Attempt {
  attempt?: number;
  retryPolicy?: RetryPolicy;
  heartbeatTimeoutMs?: number;
  currentAttemptScheduledTimestampMs?: number;
  heartbeatDetails?: unknown;
}

/** Where one attempt of an activity runs; its failures, which a test expects, are not printed. */
export function newAttempt(info: Attempt = {}): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}
