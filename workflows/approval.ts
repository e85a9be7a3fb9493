import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineUpdate,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { Approval } from '../resources/pipeline-run.js';
import type { Failure } from '../resources/reasons.js';

/** A person's word on a run that waits for it; answered once the word is kept. */
export const decideUpdate = defineUpdate<void, [Approval]>('decide');

/** The one place of a run where a person decides. */
export interface ApprovalDesk {
  /** Waits for a decision. @throws a failure of type `run_failed`: Rejected, or Timeout when nobody decided in time */
  wait(seconds: number): Promise<Approval>;
}

/** Takes decisions from now on; `keep` writes one down before its author hears of it. */
export function openApprovalDesk(keep: (approval: Approval) => Promise<void>): ApprovalDesk {
  let decision: Approval | undefined;
  let kept = false;
  let waiting = false;
  setHandler(
    decideUpdate,
    async (approval) => {
      decision = approval;
      await CancellationScope.nonCancellable(() => keep(approval));
      kept = true;
    },
    {
      validator: (_approval: Approval) => {
        if (decision) throw refused(`the run was ${decision.decision} by ${decision.by} already`);
        if (!waiting) throw refused('the run does not wait for an approval');
      },
      description: 'approves or rejects the run',
    },
  );
  return {
    async wait(seconds) {
      waiting = true;
      const inTime = await untilDecided(() => kept, seconds);
      waiting = false;
      if (!inTime || decision === undefined) throw gaveUp({ reason: 'Timeout', message: 'nobody decided in time' });
      const { by, reason } = decision;
      if (decision.decision === 'rejected')
        throw gaveUp({ reason: 'Rejected', message: `rejected by ${by}: ${reason}` });
      return decision;
    },
  };
}

/** `condition` with a time limit that a person can read in the Web UI. */
async function untilDecided(decided: () => boolean, seconds: number): Promise<boolean> {
  return CancellationScope.cancellable(async () => {
    const deadline = sleep(seconds * 1_000, { summary: 'deadline of the approval' }).then(() => false);
    const first = await Promise.race([condition(decided).then(() => true), deadline]);
    CancellationScope.current().cancel();
    await deadline.catch(() => undefined);
    return first;
  });
}

const refused = (message: string) => ApplicationFailure.nonRetryable(message, 'not_waiting');

const gaveUp = (failure: Failure) =>
  ApplicationFailure.create({ message: failure.message, type: 'run_failed', nonRetryable: true, details: [failure] });
