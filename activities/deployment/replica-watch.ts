import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import { containerName, logPrefix } from '../../platform/kinds/ids.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { LogStore } from '../../platform/stores/logs.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { readyLimit } from '../shared/ready-limit.js';
import { isReady, lastLines, lastOf, replicaName, startReplica, viewReplica } from './replica.js';

const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 5 * 60_000;
const MAX_BACKOFF_MS = 60_000;
/** One late answer is no reason to send nothing more. */
const MAX_MISSED_PROBES = 3;
/** The time that the server of a replica without calls has to end. */
const STOP_MS = 10_000;

export type ReplicaWatch = ReturnType<typeof createReplicaWatch>;

export interface WatchOptions {
  engine: EngineDriver;
  logs: LogStore;
  revision: Revision;
  /** How long a replica may take to load its model. */
  readySeconds: number;
  /** A replica that was ready and answers no probe for so long is replaced. */
  silenceMs?: number;
  /** Before the first restart; doubled with each, up to a minute. */
  backoffMs?: number;
  signal: AbortSignal;
  /** Called before a replica is started again. @throws when a newer attempt has the route */
  mayRestart: () => Promise<void>;
  /** Called with the reason when the replica has ended. */
  onExit: (reason: string) => void;
}

/** One replica under watch: its exits, its silence and its log. */
export function createReplicaWatch(supervisor: WatchOptions, index: number) {
  const { engine, logs, revision, readySeconds, signal, silenceMs = 15_000, backoffMs = 1_000 } = supervisor;
  const { readinessDelay, livenessDelay = 0 } = revision;
  const loadingMs = () => (Math.max(readinessDelay, livenessDelay) + readyLimit(readySeconds)) * 1_000;
  const ended = new AbortController();
  let exits: number[] = [];
  let restartAt = 0;
  let wasReady = false;
  let missed = 0;
  let silentSince = Date.now();
  let copying: Promise<void> | undefined;

  const handle = { name: containerName('deployment', revision.ref, replicaName(index)) };

  const copyLog = async (): Promise<void> => {
    const writer = await logs.writer(logPrefix('deployment', revision.ref, replicaName(index)));
    const stop = AbortSignal.any([signal, ended.signal]);
    try {
      for await (const line of engine.logs(handle, { from: writer.position, follow: true, signal: stop })) {
        await writer.append(line);
      }
    } finally {
      await writer.flush();
    }
  };
  const noteExit = async (): Promise<void> => {
    exits = [...exits.filter((at) => at > Date.now() - EXIT_WINDOW_MS), Date.now()];
    restartAt = Date.now() + Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** (exits.length - 1));
    const logTail = await lastLines(engine, revision, index).catch(() => '');
    supervisor.onExit(`replica ${replicaName(index)} ended: ${lastOf(logTail)}`);
    if (exits.length < MAX_EXITS) return;
    const message = `replica ${replicaName(index)} ended ${exits.length} times within 5 minutes: ${lastOf(logTail)}`;
    throw runFailed({ reason: 'CrashLoop', message, logTail });
  };
  const restart = async (): Promise<void> => {
    if (restartAt === 0) await noteExit();
    if (Date.now() < restartAt) return;
    await copying;
    await supervisor.mayRestart();
    await start();
  };
  /** Starts the replica, or goes on with it after a pause. */
  const start = async (): Promise<void> => {
    await startReplica(engine, revision, index);
    restartAt = 0;
    wasReady = false;
    missed = 0;
    silentSince = Date.now();
  };
  /** Whether requests may go to a running replica. */
  const probe = async (replica: Replica): Promise<boolean> => {
    if (await isReady(revision, replica, signal)) {
      wasReady = true;
      missed = 0;
      silentSince = Date.now();
      return true;
    }
    signal.throwIfAborted();
    missed += 1;
    if (Date.now() - silentSince > (wasReady ? silenceMs : loadingMs())) await engine.stop(replica, 1_000);
    return wasReady && missed < MAX_MISSED_PROBES;
  };

  return {
    name: handle.name,
    start,
    pause: () => engine.pause(handle),
    /** Stops and removes the replica. */
    async remove(): Promise<void> {
      await engine.stop(handle, STOP_MS);
      await engine.remove(handle);
    },
    /** The replica when it takes requests. */
    async look(): Promise<Replica | undefined> {
      const view = await viewReplica(engine, revision, index);
      if (view.phase !== 'running') {
        await (view.phase === 'paused' ? start() : restart());
        return undefined;
      }
      // A log that cannot be stored for a while must not end the serving; the next look takes it up again.
      copying ??= copyLog()
        .catch(() => undefined)
        .then(() => {
          copying = undefined;
        });
      return (await probe(view.replica)) ? view.replica : undefined;
    },
    async end(): Promise<void> {
      ended.abort();
      await copying;
    },
  };
}
