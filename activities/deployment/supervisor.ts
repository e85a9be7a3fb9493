import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import { containerName, logPrefix } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { LogStore } from '../../platform/stores/logs.js';
import { readyLimit } from '../shared/ready-limit.js';
import { isReady, lastLines, lastOf, replicaName, startReplica, viewReplica } from './replica.js';

const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 5 * 60_000;
const MAX_BACKOFF_MS = 60_000;
/** How often the supervisor checks that the route is still its own. */
const HOLD_MS = 5_000;
/** One late answer is no reason to send nothing more. */
const MAX_MISSED_PROBES = 3;

export interface Supervisor {
  engine: EngineDriver;
  logs: LogStore;
  revision: Revision;
  /** How long a replica may take to load its model. */
  readySeconds: number;
  /** A replica that was ready and answers no probe for so long is replaced. */
  silenceMs?: number;
  /** Before the first restart; doubled with each, up to a minute. */
  backoffMs?: number;
  pollMs: () => number;
  signal: AbortSignal;
  beat: () => void;
  /** Called on every change of the set of replicas that take requests, and once at the start. */
  onChange: (ready: Replica[]) => Promise<void>;
  /** Called every few seconds without a change. @throws when a newer attempt has the route */
  holdRoute: (ready: Replica[]) => Promise<void>;
  /** Called before a replica is started again. @throws when a newer attempt has the route */
  mayRestart: () => Promise<void>;
}

/**
 * Keeps the replicas of a revision running until `signal` aborts: restarts what ended (1 s to 60 s apart), replaces
 * what hangs, copies their logs. The replicas outlive the supervisor.
 * @throws run_failed, reason CrashLoop, after 5 exits within 5 minutes
 */
export async function superviseReplicas(supervisor: Supervisor): Promise<never> {
  const { revision, pollMs, signal, beat, onChange, holdRoute } = supervisor;
  const watches = Array.from({ length: revision.replicas }, (_, index) => createWatch(supervisor, index));
  let known: string | undefined;
  let heldAt = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      beat();
      const looks = await Promise.all(watches.map((watch) => watch.look()));
      // A probe that was aborted says nothing of its replica.
      signal.throwIfAborted();
      const ready = looks.filter((replica) => replica !== undefined);
      const urls = ready.map(({ url }) => url).join(' ');
      const isChanged = urls !== known;
      if (isChanged || Date.now() - heldAt > HOLD_MS) {
        await (isChanged ? onChange : holdRoute)(ready);
        heldAt = Date.now();
      }
      known = urls;
      await sleep(pollMs(), undefined, { signal });
    }
  } finally {
    await Promise.all(watches.map((watch) => watch.end()));
  }
}

/** One replica under watch: its exits, its silence and its log. */
function createWatch(supervisor: Supervisor, index: number) {
  const { engine, logs, revision, readySeconds, signal, silenceMs = 15_000, backoffMs = 1_000 } = supervisor;
  const loadingMs = () => (revision.readinessDelay + readyLimit(readySeconds)) * 1_000;
  const ended = new AbortController();
  let exits: number[] = [];
  let restartAt = 0;
  let wasReady = false;
  let missed = 0;
  let silentSince = Date.now();
  let copying: Promise<void> | undefined;

  const copyLog = async (): Promise<void> => {
    const writer = await logs.writer(logPrefix('deployment', revision.ref, replicaName(index)));
    const handle = { name: containerName('deployment', revision.ref, replicaName(index)) };
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
    if (exits.length < MAX_EXITS) return;
    const logTail = await lastLines(engine, revision, index).catch(() => '');
    const message = `replica ${replicaName(index)} ended ${exits.length} times within 5 minutes: ${lastOf(logTail)}`;
    throw runFailed({ reason: 'CrashLoop', message, logTail });
  };
  const restart = async (): Promise<void> => {
    if (restartAt === 0) await noteExit();
    if (Date.now() < restartAt) return;
    await copying;
    await supervisor.mayRestart();
    await startReplica(engine, revision, index);
    restartAt = 0;
    wasReady = false;
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
    /** The replica when it takes requests. */
    async look(): Promise<Replica | undefined> {
      const view = await viewReplica(engine, revision, index);
      if (view.phase !== 'running') {
        await restart();
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
