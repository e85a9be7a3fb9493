import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Endpoint, Rest } from '../lifecycle/kinds/endpoint.js';
import type { Spool } from './spool.js';

const OF_DEPLOYMENT = ['deployment', 'revision'] as const;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** The counters of the gateway. Prometheus names; labels `deployment` and `revision` are empty for calls that reached none. */
export function createMetrics({ spool }: { spool: Pick<Spool, 'stats'> }) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'slipway_gateway_' });
  const requests = new Counter({
    name: 'slipway_requests_total',
    help: 'calls to deployed models, by status code',
    labelNames: [...OF_DEPLOYMENT, 'code'] as const,
    registers,
  });
  const histogram = (name: string, help: string): Histogram<(typeof OF_DEPLOYMENT)[number]> =>
    new Histogram({ name, help, labelNames: OF_DEPLOYMENT, buckets: SECONDS, registers });
  const requestSeconds = histogram('slipway_request_seconds', 'time in the gateway and in the model server');
  const upstreamSeconds = histogram('slipway_upstream_seconds', 'time in the model server');
  const inflight = new Gauge({
    name: 'slipway_inflight',
    help: 'requests that are being answered',
    labelNames: OF_DEPLOYMENT,
    registers,
  });
  const queueDepth = new Gauge({
    name: 'slipway_queue_depth',
    help: 'calls that wait for a replica',
    labelNames: OF_DEPLOYMENT,
    registers,
  });
  const queueSeconds = histogram('slipway_queue_seconds', 'time of calls that waited for a replica, until they left');
  const queueRejected = new Counter({
    name: 'slipway_queue_rejected_total',
    help: 'calls that got no replica: too many waited already (full), or it took too long (deadline)',
    labelNames: [...OF_DEPLOYMENT, 'why'] as const,
    registers,
  });
  const coldStartSeconds = new Histogram({
    name: 'slipway_cold_start_seconds',
    help: 'time until a deployment at rest could answer a call, by what it was: paused or stopped',
    labelNames: [...OF_DEPLOYMENT, 'tier'] as const,
    buckets: SECONDS,
    registers,
  });
  const late = new Counter({
    name: 'slipway_records_late_total',
    help: 'replies that did not wait for their record',
    registers,
  });
  const feedback = new Counter({
    name: 'slipway_feedback_total',
    help: 'feedback taken, by model',
    labelNames: ['model', 'version'],
    registers,
  });
  const mirrored = new Counter({
    name: 'slipway_mirrored_total',
    help: 'copies of calls for the mirror of a route, by deployment; dropped: too many, too large or no replica',
    labelNames: ['deployment', 'outcome'],
    registers,
  });
  let counted = 0;
  const dropped: Counter = new Counter({
    name: 'slipway_records_dropped_total',
    help: 'records that the spool could not take',
    registers,
    collect() {
      const { dropped: total } = spool.stats();
      dropped.inc(total - counted);
      counted = total;
    },
  });
  const bytes: Gauge = new Gauge({
    name: 'slipway_spool_bytes',
    help: 'bytes that wait for the uploader',
    registers,
    collect: () => bytes.set(spool.stats().bytes),
  });
  const refused: Gauge = new Gauge({
    name: 'slipway_records_refused_files',
    help: 'files of records that object storage refused for good, in the folder refused of the spool',
    registers,
    collect: () => refused.set(spool.stats().refused),
  });

  return {
    registry,
    /** Begins a call to a deployment; the returned function ends it. */
    begin(endpoint: Endpoint) {
      const labels = labelsOf(endpoint);
      inflight.inc(labels);
      return (code: number | 'gone' | 'passed_on', seconds: number, secondsBehind: number | undefined): void => {
        inflight.dec(labels);
        requests.inc({ ...labels, code });
        requestSeconds.observe(labels, seconds);
        if (secondsBehind !== undefined) upstreamSeconds.observe(labels, secondsBehind);
      };
    },
    queued: (endpoint: Endpoint): void => queueDepth.inc(labelsOf(endpoint)),
    dequeued(endpoint: Endpoint, seconds: number): void {
      queueDepth.dec(labelsOf(endpoint));
      queueSeconds.observe(labelsOf(endpoint), seconds);
    },
    rejected: (endpoint: Endpoint, why: 'full' | 'deadline'): void => queueRejected.inc({ ...labelsOf(endpoint), why }),
    coldStart: (endpoint: Endpoint, tier: Rest, seconds: number): void =>
      coldStartSeconds.observe({ ...labelsOf(endpoint), tier }, seconds),
    refused: (code: number): void => requests.inc({ deployment: '', revision: '', code }),
    mirrored: (deployment: string, outcome: 'answered' | 'failed' | 'dropped'): void =>
      mirrored.inc({ deployment, outcome }),
    late: (): void => late.inc(),
    feedback: (model: string, version: string): void => feedback.inc({ model, version }),
  };
}

const labelsOf = ({ id, generation }: Endpoint) => ({ deployment: id, revision: String(generation) });
