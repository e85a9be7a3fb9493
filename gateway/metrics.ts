import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import type { Calls } from './calls.js';
import type { Spool } from './spool.js';

const OF_DEPLOYMENT = ['deployment', 'revision'] as const;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** The counters of the gateway. Prometheus names; labels `deployment` and `revision` are empty for calls that reached none. */
export function createMetrics({ spool, calls }: { spool: Pick<Spool, 'stats'>; calls: Pick<Calls, 'begin'> }) {
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
      const labels = { deployment: endpoint.id, revision: String(endpoint.generation) };
      inflight.inc(labels);
      const counted = calls.begin(endpoint);
      return (code: number | 'gone' | 'passed_on', seconds: number, secondsBehind: number | undefined): void => {
        inflight.dec(labels);
        counted(code, secondsBehind);
        requests.inc({ ...labels, code });
        requestSeconds.observe(labels, seconds);
        if (secondsBehind !== undefined) upstreamSeconds.observe(labels, secondsBehind);
      };
    },
    refused: (code: number): void => requests.inc({ deployment: '', revision: '', code }),
    mirrored: (deployment: string, outcome: 'answered' | 'failed' | 'dropped'): void =>
      mirrored.inc({ deployment, outcome }),
    late: (): void => late.inc(),
    feedback: (model: string, version: string): void => feedback.inc({ model, version }),
  };
}
