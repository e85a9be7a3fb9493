import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Endpoint, Rest } from '../lifecycle/kinds/endpoint.js';
import { type CallMeasurement, LATENCY_BOUNDS } from '../lifecycle/kinds/measurement.js';
import { createCallWindow } from './call-window.js';
import type { Calls } from './calls.js';
import { createDeploymentSeries } from './deployment-series.js';
import type { Spool } from './spool.js';

const OF_DEPLOYMENT = ['deployment', 'revision'] as const;
const REJECTED = ['full', 'deadline'] as const;
const TIERS: readonly Rest[] = ['paused', 'stopped'];
const MIRRORED = ['answered', 'failed', 'dropped'] as const;

interface MetricsOptions {
  spool: Pick<Spool, 'stats'>;
  /** Counts the calls of revisions that a rollout watches. */
  calls: Pick<Calls, 'count'>;
  now?: () => number;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** The counters of the gateway. Prometheus names; labels `deployment` and `revision` are empty for calls that reached none. */
export function createMetrics({ spool, calls, now }: MetricsOptions) {
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
    new Histogram({ name, help, labelNames: OF_DEPLOYMENT, buckets: [...LATENCY_BOUNDS], registers });
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
    buckets: [...LATENCY_BOUNDS],
    registers,
  });
  const late = new Counter({
    name: 'slipway_records_late_total',
    help: 'replies that did not wait for their record',
    registers,
  });
  const feedback = new Counter({
    name: 'slipway_feedback_total',
    help: 'feedback taken, by model; the labels are empty for a model that no deployment serves',
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
  const window = createCallWindow({ now });
  const series = createDeploymentSeries({
    now,
    remove(labels, codes) {
      for (const code of codes) requests.remove({ ...labels, code });
      for (const metric of [requestSeconds, upstreamSeconds, inflight, queueDepth, queueSeconds]) metric.remove(labels);
      for (const why of REJECTED) queueRejected.remove({ ...labels, why });
      for (const tier of TIERS) coldStartSeconds.remove({ ...labels, tier });
      for (const outcome of MIRRORED) mirrored.remove({ deployment: labels.deployment, outcome });
    },
  });

  return {
    registry,
    /** The calls of the last minutes. */
    measure: (): CallMeasurement[] => window.read(),
    /** Removes the series of revisions that left the route table. */
    retain: (endpoints: readonly Endpoint[]): void => series.retain(endpoints),
    /** Begins a call to a deployment; the returned function ends it. */
    begin(endpoint: Endpoint) {
      const labels = series.labelsOf(endpoint);
      const endCall = window.begin(endpoint.id);
      inflight.inc(labels);
      return (code: number | 'gone' | 'passed_on', seconds: number, secondsBehind: number | undefined): void => {
        endCall(typeof code === 'number' ? { code, seconds } : undefined);
        inflight.dec(labels);
        calls.count(endpoint, code, secondsBehind);
        series.noteCode(labels, String(code));
        requests.inc({ ...labels, code });
        requestSeconds.observe(labels, seconds);
        if (secondsBehind !== undefined) upstreamSeconds.observe(labels, secondsBehind);
      };
    },
    queued: (endpoint: Endpoint): void => queueDepth.inc(series.labelsOf(endpoint)),
    dequeued(endpoint: Endpoint, seconds: number): void {
      queueDepth.dec(series.labelsOf(endpoint));
      queueSeconds.observe(series.labelsOf(endpoint), seconds);
    },
    rejected: (endpoint: Endpoint, why: (typeof REJECTED)[number]): void =>
      queueRejected.inc({ ...series.labelsOf(endpoint), why }),
    coldStart: (endpoint: Endpoint, tier: Rest, seconds: number): void =>
      coldStartSeconds.observe({ ...series.labelsOf(endpoint), tier }, seconds),
    refused: (code: number): void => requests.inc({ deployment: '', revision: '', code }),
    mirrored: (deployment: string, outcome: (typeof MIRRORED)[number]): void => mirrored.inc({ deployment, outcome }),
    late: (): void => late.inc(),
    feedback: (model: string, version: string): void => feedback.inc({ model, version }),
  };
}
