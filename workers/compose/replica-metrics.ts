import { Counter, Gauge, type Registry } from 'prom-client';
import type { MeasuredRevision } from '../../activities/deployment/replica-meter.js';

const OF_REVISION = ['deployment', 'revision'] as const;
const OF_REPLICA = [...OF_REVISION, 'replica'] as const;

/** The metrics of the replicas that a worker supervises: read at each scrape, so those of others are not there. */
export function createReplicaMetrics(metrics: Registry, revisions: () => readonly MeasuredRevision[]): void {
  const registers = [metrics];
  const replicasOf = () =>
    revisions().flatMap(({ deployment, revision, replicas }) =>
      replicas.map(({ name, ...measured }) => ({ labels: { deployment, revision, replica: name }, measured })),
    );
  new Counter({
    name: 'slipway_replica_cpu_seconds_total',
    help: 'Processor time of a replica, over its restarts',
    labelNames: OF_REPLICA,
    registers,
    collect() {
      this.reset();
      for (const { labels, measured } of replicasOf()) this.inc(labels, measured.cpuSeconds);
    },
  });
  new Gauge({
    name: 'slipway_replica_memory_bytes',
    help: 'Memory of a replica; absent while it does not run',
    labelNames: OF_REPLICA,
    registers,
    collect() {
      this.reset();
      for (const { labels, measured } of replicasOf())
        if (measured.memoryBytes !== undefined) this.set(labels, measured.memoryBytes);
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
      for (const { deployment, revision, ready, replicas } of revisions()) {
        this.set({ deployment, revision, state: 'ready' }, ready);
        this.set({ deployment, revision, state: 'not_ready' }, Math.max(0, replicas.length - ready));
      }
    },
  });
}
