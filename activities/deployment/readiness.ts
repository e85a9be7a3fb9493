import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { isReady, lastLines, lastOf, replicaName, viewReplica } from './replica.js';

interface Wait {
  readySeconds: number;
  signal: AbortSignal;
  beat: () => void;
}

/**
 * Waits until every replica of a revision takes requests.
 * @throws run_failed: CrashLoop when one ends, ProbeFailed when the time is over; with its last lines
 */
export async function awaitReplicas(engine: EngineDriver, revision: Revision, wait: Wait): Promise<Replica[]> {
  const deadline = Date.now() + (revision.readinessDelay + wait.readySeconds) * 1_000;
  const indexes = Array.from({ length: revision.replicas }, (_, index) => index);
  return Promise.all(indexes.map((index) => awaitReplica(engine, revision, index, { ...wait, deadline })));
}

async function awaitReplica(
  engine: EngineDriver,
  revision: Revision,
  index: number,
  { readySeconds, signal, beat, deadline }: Wait & { deadline: number },
): Promise<Replica> {
  for (;;) {
    signal.throwIfAborted();
    beat();
    const view = await viewReplica(engine, revision, index);
    if (view.phase === 'running' && (await isReady(view.replica, signal))) return view.replica;
    if (view.phase === 'exited') {
      const logTail = await lastLines(engine, revision, index);
      const message = `replica ${replicaName(index)} ended with exit code ${view.exitCode} before it was ready: ${lastOf(logTail)}`;
      throw runFailed({ reason: 'CrashLoop', message, exitCode: view.exitCode, logTail });
    }
    if (Date.now() > deadline) {
      const logTail = await lastLines(engine, revision, index);
      throw runFailed({
        reason: 'ProbeFailed',
        message: `replica ${replicaName(index)} was not ready within ${readySeconds} s: ${lastOf(logTail)}`,
        logTail,
      });
    }
    await sleep(200, undefined, { signal });
  }
}
