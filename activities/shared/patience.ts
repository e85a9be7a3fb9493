import { activityInfo } from '@temporalio/activity';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { outsideReason } from '../../platform/kinds/outside-failure.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { LONGEST_PAUSE_MS, MOST_ATTEMPTS } from '../../platform/kinds/retries.js';
import type { Resource } from '../../platform/kinds/resource.js';
import type { RunStatus } from '../../platform/kinds/run-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { noteFacts } from './status.js';

/** Writes the message of a status; without one it is removed. */
export type NoteMessage = (message: string | undefined) => Promise<unknown>;

/** Notes messages in the status of a run. */
export const messageOf =
  <E extends Resource<object, RunStatus>>(store: ResourceStore<E>, ref: RunRef): NoteMessage =>
  (message) =>
    noteFacts(store, ref, () => ({ message }) as Partial<E['status']>);

/**
 * Runs a step that needs another party, such as a git server or a registry. While that fails for now, the status says
 * what is waited for and until when, and Temporal repeats the step; after the last attempt it fails for good.
 */
export async function withPatience<T>(note: NoteMessage, work: () => Promise<T>): Promise<T> {
  const { attempt, retryPolicy } = activityInfo();
  try {
    const result = await work();
    if (attempt > 1) await note(undefined);
    return result;
  } catch (err) {
    const reason = outsideReason(err);
    if (!(err instanceof SlipwayError) || reason === undefined) throw err;
    const left = (retryPolicy?.maximumAttempts ?? MOST_ATTEMPTS) - attempt;
    if (left <= 0) throw runFailed({ reason, message: err.publicMessage ?? err.code }, err);
    const until = new Date(Date.now() + left * LONGEST_PAUSE_MS).toISOString();
    await note(`waiting: ${err.publicMessage}; tried again until ${until}`);
    throw err;
  }
}
