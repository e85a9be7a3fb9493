import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineUpdate,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { Approval } from '../lifecycle/kinds/pipeline-run.js';
import type { Failure } from '../platform/kinds/reasons.js';

/** A decision about one generation of a run that waits for an approval. */
export interface Decision {
  approval: Approval;
  generation: number;
}

/** Delivers a decision; it is answered once the decision is stored. */
const decideUpdate = defineUpdate<void, [Decision]>('decide');

/** The wait of a run for a person's decision. */
export interface ApprovalDesk {
  /**
   * Asks, then waits for a decision. @throws a failure of type `run_failed`: Rejected, or Timeout without a decision
   * in time
   */
  wait(seconds: number, ask: () => Promise<void>): Promise<Approval>;
}

/** Accepts decisions about a generation from now on; `keep` stores a decision before the update is answered. */
export function openApprovalDesk(ownGeneration: number, keep: (approval: Approval) => Promise<void>): ApprovalDesk {
  let desk: 'closed' | 'asking' | 'open' = 'closed';
  let decision: Approval | undefined;
  let kept = false;
  setHandler(
    decideUpdate,
    async ({ approval }) => {
      decision = approval;
      try {
        await condition(() => desk !== 'asking');
        if (desk === 'closed') throw refused(NOT_WAITING);
        await CancellationScope.nonCancellable(() => keep(approval));
        kept = true;
      } catch (err) {
        decision = undefined;
        throw err;
      }
    },
    {
      validator: ({ generation }: Decision) => {
        if (generation !== ownGeneration) throw refused('the run was tried again since');
        if (decision) throw refused(`the run was ${decision.decision} by ${decision.by} already`);
        if (desk === 'closed') throw refused(NOT_WAITING);
      },
      description: 'approves or rejects the run',
    },
  );
  return {
    async wait(seconds, ask) {
      desk = 'asking';
      try {
        await ask();
        desk = 'open';
        await untilDecided(() => kept, seconds);
        // A decision that arrived in time counts, also while it is being stored.
        if (decision && !kept) await condition(() => kept || decision === undefined);
      } finally {
        desk = 'closed';
      }
      if (!kept || decision === undefined) throw gaveUp({ reason: 'Timeout', message: 'no decision in time' });
      const { by, reason } = decision;
      if (decision.decision === 'rejected')
        throw gaveUp({ reason: 'Rejected', message: `rejected by ${by}: ${reason}` });
      return decision;
    },
  };
}

const NOT_WAITING = 'the run does not wait for an approval';

/** `condition` with a time limit that a person can read in the Web UI. */
async function untilDecided(decided: () => boolean, seconds: number): Promise<void> {
  await CancellationScope.cancellable(async () => {
    const deadline = sleep(seconds * 1_000, { summary: 'deadline of the approval' });
    await Promise.race([condition(decided), deadline]);
    CancellationScope.current().cancel();
    await deadline.catch(() => undefined);
  });
}

const refused = (message: string) => ApplicationFailure.nonRetryable(message, 'not_waiting');

const gaveUp = (failure: Failure) =>
  ApplicationFailure.create({ message: failure.message, type: 'run_failed', nonRetryable: true, details: [failure] });
