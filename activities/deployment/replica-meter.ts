import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import type { ReplicaMeasurement } from '../../lifecycle/kinds/measurement.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';

/** Between two measurements of a replica, when there are few. */
const SAMPLE_MS = 15_000;
/** Between two measurements of a process: each costs the engine some milliseconds. */
const LEAST_MS = 200;
/** Between two looks for replicas while none takes requests. */
const IDLE_MS = 1_000;

/** A replica that takes requests. */
interface MeasuredReplica {
  /** `r0`, `r1`, ... */
  name: string;
  container: string;
  /** Absent until it was measured. */
  last?: { cpuSeconds: number; memoryBytes: number; atMs: number };
  cpuCores?: number;
}

/** A revision that this process supervises. */
export interface MeasuredRevision {
  deployment: string;
  revision: string;
  /** Replicas that there should be. */
  wanted: number;
  restarts: number;
  ready: readonly MeasuredReplica[];
}

interface RevisionWatch {
  /** Takes the replicas that take requests, and how many there should be. */
  serve(ready: readonly Replica[], wanted: number): void;
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

  async function measureReplica(replica: MeasuredReplica): Promise<void> {
    // A replica that is gone, and an engine that does not answer, are the supervisor's concern.
    const stats = await engine.stats({ name: replica.container }).catch(() => undefined);
    const { last } = replica;
    delete replica.last;
    delete replica.cpuCores;
    if (stats === undefined) return;
    const { cpuSeconds, memoryBytes } = stats;
    replica.last = { cpuSeconds, memoryBytes, atMs: now() };
    const seconds = (replica.last.atMs - (last?.atMs ?? 0)) / 1_000;
    // The count of a container begins again at 0 with each start.
    if (last !== undefined && cpuSeconds >= last.cpuSeconds && seconds > 0)
      replica.cpuCores = (cpuSeconds - last.cpuSeconds) / seconds;
  }

  /** Measures all replicas in turn until no revision is left. */
  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (revisions.size > 0) {
      const replicas = [...revisions].flatMap(({ ready }) => ready);
      if (replicas.length === 0) await pause(IDLE_MS);
      for (const replica of replicas) {
        await pause(Math.max(LEAST_MS, SAMPLE_MS / replicas.length));
        await measureReplica(replica);
      }
    }
    running = false;
  }

  return {
    /** Begins to measure the replicas of a revision. */
    watch({ ref }: Pick<Revision, 'ref'>): RevisionWatch {
      const measured: MeasuredRevision = {
        ...{ deployment: ref.id, revision: String(ref.generation), wanted: 0, restarts: 0, ready: [] },
      };
      revisions.add(measured);
      void run();
      return {
        serve(ready, wanted) {
          measured.wanted = wanted;
          measured.ready = ready.map(
            ({ name: container }) =>
              measured.ready.find((each) => each.container === container) ?? { name: partOf(container), container },
          );
        },
        restarted: () => void (measured.restarts += 1),
        end: () => void revisions.delete(measured),
      };
    },

    revisions: (): readonly MeasuredRevision[] => [...revisions],

    measure: (): ReplicaMeasurement[] => [...revisions].map(toMeasurement),
  };
}

/** The name of a container ends with its part. */
const partOf = (container: string): string => container.slice(container.lastIndexOf('-') + 1);

function toMeasurement({ deployment: id, restarts, ready }: MeasuredRevision): ReplicaMeasurement {
  const total = (numbers: number[]): number => numbers.reduce((sum, each) => sum + each, 0);
  const cores = ready.flatMap(({ cpuCores }) => cpuCores ?? []);
  const memory = ready.flatMap(({ last }) => last?.memoryBytes ?? []);
  return {
    ...{ id, restarts },
    ...(cores.length > 0 && { cpuCores: total(cores) }),
    ...(memory.length > 0 && { memoryBytes: total(memory) }),
  };
}
