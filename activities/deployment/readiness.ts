import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { readyLimit, within } from '../shared/ready-limit.js';
import { isReady, lastLines, lastOf, replicaName, viewReplica } from './replica.js';

interface Wait {
  readySeconds: number;
  /** The limit that a busy machine makes of `readySeconds`. */
  limitOf?: (seconds: number) => number;
  signal: AbortSignal;
  beat: () => void;
}

/**
 * Waits until every replica of a revision takes requests.
 * @throws run_failed: CrashLoop when one ends, ProbeFailed when the time is over; with its last lines
 */
export async function awaitReplicas(engine: EngineDriver, revision: Revision, wait: Wait): Promise<Replica[]> {
  const startedAt = Date.now();
  const ended = new AbortController();
  // One that fails ends the wait for the others too.
  const signal = AbortSignal.any([wait.signal, ended.signal]);
  const indexes = Array.from({ length: revision.replicas }, (_, index) => index);
  const waits = indexes.map((index) => awaitReplica(engine, revision, index, { ...wait, signal, startedAt }));
  return Promise.all(waits).finally(() => ended.abort());
}

async function awaitReplica(
  engine: EngineDriver,
  revision: Revision,
  index: number,
  { readySeconds, limitOf = readyLimit, signal, beat, startedAt }: Wait & { startedAt: number },
): Promise<Replica> {
  for (;;) {
    signal.throwIfAborted();
    beat();
    const view = await viewReplica(engine, revision, index);
    if (view.phase === 'running' && (await isReady(revision, view.replica, signal))) return view.replica;
    if (view.phase === 'exited') {
      const logTail = await lastLines(engine, revision, index);
      const message = `replica ${replicaName(index)} ended with exit code ${view.exitCode} before it was ready: ${lastOf(logTail)}`;
      throw runFailed({ reason: 'CrashLoop', message, exitCode: view.exitCode, logTail });
    }
    const limit = limitOf(readySeconds);
    if (Date.now() - startedAt > (revision.readinessDelay + limit) * 1_000) {
      const logTail = await lastLines(engine, revision, index);
      throw runFailed({
        reason: 'ProbeFailed',
        message: `replica ${replicaName(index)} was not ready ${within(readySeconds, limit)}: ${lastOf(logTail)}`,
        logTail,
      });
    }
    await sleep(200, undefined, { signal });
  }
}
