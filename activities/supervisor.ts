import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../engines/driver.js';
import type { Replica } from '../resources/endpoint.js';
import { containerName, logPrefix } from '../resources/ids.js';
import { runFailed } from '../resources/reasons.js';
import type { Revision } from '../resources/revision.js';
import type { LogStore } from '../stores/logs.js';
import { isReady, replicaName, startReplica, viewReplica } from './replica.js';

const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 5 * 60_000;
const MAX_BACKOFF_MS = 60_000;
/** A replica that answers no probe for this many looks is replaced. */
const MAX_SILENT_LOOKS = 15;

export interface Supervisor {
  engine: EngineDriver;
  logs: LogStore;
  revision: Revision;
  pollMs: number;
  signal: AbortSignal;
  beat: () => void;
  /** Told on every change of the set of replicas that take requests, and once at the start. */
  onChange: (ready: Replica[]) => Promise<void>;
}

/**
 * Keeps the replicas of a revision running until `signal` aborts: restarts what ended (1 s to 60 s apart), replaces
 * what hangs, copies their logs. The replicas outlive the supervisor.
 * @throws run_failed, reason CrashLoop, after 5 exits within 5 minutes
 */
export async function superviseReplicas(supervisor: Supervisor): Promise<never> {
  const { revision, pollMs, signal, beat, onChange } = supervisor;
  const watches = Array.from({ length: revision.replicas }, (_, index) => createWatch(supervisor, index));
  let known: string | undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      beat();
      const looks = await Promise.all(watches.map((watch) => watch.look()));
      const ready = looks.filter((replica) => replica !== undefined);
      const urls = ready.map(({ url }) => url).join(' ');
      if (urls !== known) await onChange(ready);
      known = urls;
      await sleep(pollMs, undefined, { signal });
    }
  } finally {
    await Promise.all(watches.map((watch) => watch.end()));
  }
}

/** One replica under watch: its exits, its silence and its log. */
function createWatch({ engine, logs, revision, signal }: Supervisor, index: number) {
  const exits: number[] = [];
  const ended = new AbortController();
  let silentLooks = 0;
  let restartAt = 0;
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
  const restart = async (): Promise<void> => {
    if (restartAt === 0) {
      exits.push(Date.now());
      const recent = exits.filter((at) => at > Date.now() - EXIT_WINDOW_MS);
      if (recent.length >= MAX_EXITS) {
        throw runFailed({
          reason: 'CrashLoop',
          message: `replica ${replicaName(index)} ended ${recent.length} times within 5 minutes`,
        });
      }
      restartAt = Date.now() + Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (recent.length - 1));
    }
    if (Date.now() < restartAt) return;
    await copying;
    copying = undefined;
    await startReplica(engine, revision, index);
    restartAt = 0;
    silentLooks = 0;
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
      const ready = await isReady(view.replica, signal);
      silentLooks = ready ? 0 : silentLooks + 1;
      if (silentLooks >= MAX_SILENT_LOOKS) await engine.stop(view.replica, 1_000);
      return ready ? view.replica : undefined;
    },
    async end(): Promise<void> {
      ended.abort();
      await copying;
    },
  };
}
