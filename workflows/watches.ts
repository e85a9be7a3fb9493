import {
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { WatchActivities, WatchEvaluation } from '../activities/notifications/watches/watches.js';
import { wakeSignal } from './notification.js';
import { phase } from './phases.js';

const { evaluateWatches } = proxyActivities<WatchActivities>(phase('evaluate', 'evaluate watches'));

const AFTER_FAILURE_MS = 5_000;

/** Keeps one evaluator of all watches running on any worker until no watch is left. */
export async function watches(): Promise<void> {
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true), { description: 'evaluates a new watch' });
  for (;;) {
    woken = false;
    setCurrentDetails('evaluates watches');
    const { ended } = await evaluateOrWait();
    if (ended && !isWoken()) return;
    if (workflowInfo().continueAsNewSuggested) break;
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof watches>();

  /** Reads the flag through a call: a signal may have set it during the activity. */
  function isWoken(): boolean {
    return woken;
  }
}

async function evaluateOrWait(): Promise<WatchEvaluation> {
  try {
    return await evaluateWatches();
  } catch (err) {
    if (isCancellation(err)) throw err;
    setCurrentDetails('waits for a store that does not answer');
    await sleep(AFTER_FAILURE_MS);
    return { ended: false };
  }
}
