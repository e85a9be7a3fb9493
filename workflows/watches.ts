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
import type { WatchActivities, WatchTurn } from '../activities/notifications/watches.js';
import { wakeSignal } from './notification.js';
import { phase } from './phases.js';

const { evaluateWatches } = proxyActivities<WatchActivities>(phase('evaluate', 'judge what does not happen'));

const AFTER_FAILURE_MS = 5_000;

/** Keeps one evaluator of all watches alive, on whatever worker there is, until there is no watch. */
export async function watches(): Promise<void> {
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true), { description: 'there is a watch' });
  for (;;) {
    woken = false;
    setCurrentDetails('judges what does not happen');
    const { ended } = await evaluateOrWait();
    if (ended && !isWoken()) return;
    if (workflowInfo().continueAsNewSuggested) break;
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof watches>();

  /** Asked anew: a signal may have come since. */
  function isWoken(): boolean {
    return woken;
  }
}

async function evaluateOrWait(): Promise<WatchTurn> {
  try {
    return await evaluateWatches();
  } catch (err) {
    if (isCancellation(err)) throw err;
    setCurrentDetails('waits for a store that does not answer');
    await sleep(AFTER_FAILURE_MS);
    return { ended: false };
  }
}
