import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  makeContinueAsNewFunc,
  setHandler,
} from '@temporalio/workflow';
import { type RunRef, runMemo } from '../platform/kinds/ids.js';

/** The stored resource has a new generation, or was removed and created again. */
export const changedSignal = defineSignal<[RunRef]>('changed');

type Generation = (ref: RunRef) => Promise<never>;

/** Returns whether `next` replaces the current run; an older or repeated message does not. */
function supersedes(next: RunRef, current: RunRef): boolean {
  return next.uid !== current.uid || next.generation > current.generation;
}

/**
 * Runs one generation. A newer one cancels it (its own undo runs) and takes over in the same workflow, so there is
 * never more than one run of a resource.
 */
export async function followGenerations<T>(ref: RunRef, runbook: () => Promise<T>): Promise<T> {
  let newer: RunRef | undefined;
  const scope = new CancellationScope();
  setHandler(
    changedSignal,
    (next) => {
      if (!supersedes(next, newer ?? ref)) return;
      newer = next;
      scope.cancel();
    },
    { description: 'the stored resource has a newer generation' },
  );
  const ended = await scope.run(runbook).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  // A caller that waits for an answer gets it from this run, also when the run was canceled.
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  if (newer !== undefined) return makeContinueAsNewFunc<Generation>({ memo: runMemo(newer) })(newer);
  if ('error' in ended) throw ended.error;
  return ended.value;
}
