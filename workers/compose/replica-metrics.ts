import { Counter, Gauge, type Registry } from 'prom-client';
import type { MeasuredRevision } from '../../activities/deployment/replica-meter.js';

const OF_REVISION = ['deployment', 'revision'] as const;
const OF_REPLICA = [...OF_REVISION, 'replica'] as const;

/** The metrics of the replicas that a worker supervises: read at each scrape, so those of others are not there. */
export function createReplicaMetrics(metrics: Registry, revisions: () => readonly MeasuredRevision[]): void {
  const registers = [metrics];
  const replicasOf = () =>
    revisions().flatMap(({ deployment, revision, ready }) =>
      ready.flatMap(({ name, last }) =>
        last === undefined ? [] : [{ labels: { deployment, revision, replica: name }, ...last }],
      ),
    );
  new Counter({
    name: 'slipway_replica_cpu_seconds_total',
    help: 'Processor time of a replica; begins at 0 again when it restarts',
    labelNames: OF_REPLICA,
    registers,
    collect() {
      this.reset();
      for (const { labels, cpuSeconds } of replicasOf()) this.inc(labels, cpuSeconds);
    },
  });
  new Gauge({
    name: 'slipway_replica_memory_bytes',
    help: 'Memory of a replica; absent while it takes no requests',
    labelNames: OF_REPLICA,
    registers,
    collect() {
      this.reset();
      for (const { labels, memoryBytes } of replicasOf()) this.set(labels, memoryBytes);
    },
  });
  new Counter({
    name: 'slipway_replica_restarts_total',
    help: 'Restarts of the replicas of a revision since this worker supervises them',
    labelNames: OF_REVISION,
    registers,
    collect() {
      this.reset();
      for (const { deployment, revision, restarts } of revisions()) this.inc({ deployment, revision }, restarts);
    },
  });
  new Gauge({
    name: 'slipway_replicas',
    help: 'Replicas of a revision by state: ready, or not_ready',
    labelNames: [...OF_REVISION, 'state'] as const,
    registers,
    collect() {
      this.reset();
      for (const { deployment, revision, ready, wanted } of revisions()) {
        this.set({ deployment, revision, state: 'ready' }, ready.length);
        this.set({ deployment, revision, state: 'not_ready' }, Math.max(0, wanted - ready.length));
      }
    },
  });
}
