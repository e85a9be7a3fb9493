import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver, Stats } from '../../platform/engines/driver.js';
import type { ReplicaMeasurement } from '../../lifecycle/kinds/measurement.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { containerName } from '../../platform/kinds/ids.js';
import { replicaName } from './replica.js';

/** Between two measurements of a replica, when there are few. */
const SAMPLE_MS = 15_000;
/** Between two measurements of a process: each costs the engine some milliseconds. */
const LEAST_MS = 200;

interface MeasuredReplica {
  /** `r0`, `r1`, ... */
  name: string;
  container: string;
  /** Over all restarts of the container. */
  cpuSeconds: number;
  cpuCores?: number;
  memoryBytes?: number;
  last?: { cpuSeconds: number; atMs: number };
}

/** A revision that this process supervises. */
export interface MeasuredRevision {
  deployment: string;
  revision: string;
  ready: number;
  restarts: number;
  replicas: readonly MeasuredReplica[];
}

interface RevisionWatch {
  /** Notes how many replicas take requests. */
  ready(count: number): void;
  restarted(): void;
  end(): void;
}

interface ReplicaMeterOptions {
  engine: Pick<EngineDriver, 'stats'>;
  pause?: (ms: number) => Promise<unknown>;
  now?: () => number;
}

export type ReplicaMeter = ReturnType<typeof createReplicaMeter>;

/** Measures the replicas that this process supervises, one after the other, so that many cost no more than some. */
export function createReplicaMeter({
  engine,
  pause = (ms) => sleep(ms, undefined, { ref: false }),
  now = () => performance.now(),
}: ReplicaMeterOptions) {
  const revisions = new Set<MeasuredRevision>();
  let running = false;

  /** Measures all replicas in turn until none is left. */
  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (revisions.size > 0) {
      const replicas = [...revisions].flatMap((revision) => revision.replicas);
      for (const replica of replicas) {
        await pause(Math.max(LEAST_MS, SAMPLE_MS / replicas.length));
        // A replica that is not there, and an engine that does not answer, are the supervisor's concern.
        const stats = await engine.stats({ name: replica.container }).catch(() => undefined);
        note(replica, stats, now());
      }
    }
    running = false;
  }

  return {
    /** Begins to measure the replicas of a revision. */
    watch({ ref, replicas }: Pick<Revision, 'ref' | 'replicas'>): RevisionWatch {
      const measured: MeasuredRevision = {
        ...{ deployment: ref.id, revision: String(ref.generation), ready: 0, restarts: 0 },
        replicas: Array.from({ length: replicas }, (_, index) => {
          const name = replicaName(index);
          return { name, container: containerName('deployment', ref, name), cpuSeconds: 0 };
        }),
      };
      revisions.add(measured);
      void run();
      return {
        ready: (count) => void (measured.ready = count),
        restarted: () => void (measured.restarts += 1),
        end: () => void revisions.delete(measured),
      };
    },

    revisions: (): readonly MeasuredRevision[] => [...revisions],

    measure: (): ReplicaMeasurement[] => [...revisions].map(toMeasurement),
  };
}

/** The count of a container begins again at 0 with each start. */
function note(replica: MeasuredReplica, stats: Stats | undefined, atMs: number): void {
  const { last } = replica;
  delete replica.cpuCores;
  delete replica.memoryBytes;
  delete replica.last;
  if (stats === undefined) return;
  const isSame = last !== undefined && stats.cpuSeconds >= last.cpuSeconds;
  const used = isSame ? stats.cpuSeconds - last.cpuSeconds : stats.cpuSeconds;
  replica.cpuSeconds += used;
  replica.memoryBytes = stats.memoryBytes;
  replica.last = { cpuSeconds: stats.cpuSeconds, atMs };
  if (isSame && atMs > last.atMs) replica.cpuCores = (used * 1_000) / (atMs - last.atMs);
}

function toMeasurement({ deployment: id, restarts, replicas }: MeasuredRevision): ReplicaMeasurement {
  const total = (numbers: number[]): number => numbers.reduce((sum, each) => sum + each, 0);
  const cores = replicas.flatMap(({ cpuCores }) => cpuCores ?? []);
  const memory = replicas.flatMap(({ memoryBytes }) => memoryBytes ?? []);
  return {
    ...{ id, restarts },
    ...(cores.length > 0 && { cpuCores: total(cores) }),
    ...(memory.length > 0 && { memoryBytes: total(memory) }),
  };
}
