import { readdirSync, readFileSync } from 'node:fs';
import Koa from 'koa';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { beforeAll, expect, test } from 'vitest';
import { measureRequests } from '../../api/http/metrics.js';
import { createRefusals } from '../../api/reference/refusals.js';
import type { ApiState } from '../../api/http/state.js';
import { createCalls } from '../../gateway/calls.js';
import { createMetrics } from '../../gateway/metrics.js';
import { createLoopMetrics } from '../../workers/compose/loop-metrics.js';
import { createNotificationMetrics } from '../../workers/compose/notification-metrics.js';
import { createReplicaMetrics } from '../../workers/compose/replica-metrics.js';

const FOLDER = new URL('../../deploy/grafana/', import.meta.url);

interface Dashboard {
  title: string;
  panels: { title: string; targets: { expr: string }[] }[];
  templating: { list: { type: string; query: string }[] };
}
const dashboards = readdirSync(FOLDER).map(
  // The files are of this project.
  (file) => [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Dashboard] as const,
);

/** Words in front of a selector, and all that are ours. */
const metricsIn = (query: string): string[] => query.match(/\bslipway_\w+|\b[a-z_]\w*(?=[{[])/g) ?? [];
const labelsIn = (query: string): string[] => [
  ...[...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', ')),
  ...[...query.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, name = '']) => name),
];

let names: Set<string>;
let labels: Set<string>;
beforeAll(async () => {
  const gateway = createMetrics({
    spool: { stats: () => ({ bytes: 0, dropped: 0, refused: 0 }) },
    calls: createCalls(),
  }).registry;
  const worker = new Registry();
  createReplicaMetrics(worker, () => []);
  createLoopMetrics(worker);
  createNotificationMetrics(worker);
  const api = new Registry();
  new Koa<ApiState>().use(measureRequests({ metrics: api }));
  createRefusals({ logger: pino({ level: 'silent' }), metrics: api });
  const metrics = [gateway, worker, api].flatMap((registry) => registry.getMetricsAsArray());
  const suffixes = ({ type }: { type: unknown }): string[] =>
    String(type) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  const described = await Promise.all([gateway, worker, api].map(async (registry) => registry.getMetricsAsJSON()));
  names = new Set(described.flat().flatMap((metric) => suffixes(metric).map((suffix) => metric.name + suffix)));
  labels = new Set(['le', 'instance', ...metrics.flatMap((metric) => labelNamesOf(metric))]);
});

/** Not in the types of the library. */
const labelNamesOf = (metric: object): string[] =>
  'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];

test.each(dashboards)(
  'every query of %s names metrics and labels that a process exposes',
  (_, { panels, templating }) => {
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const choices = templating.list.filter(({ type }) => type === 'query').map(({ query }) => query);
    expect(queries.length).toBeGreaterThan(8);
    for (const query of [...queries, ...choices]) {
      expect(metricsIn(query).length, query).toBeGreaterThan(0);
      expect(
        metricsIn(query).filter((name) => !names.has(name)),
        query,
      ).toEqual([]);
      expect(
        labelsIn(query).filter((name) => !labels.has(name)),
        query,
      ).toEqual([]);
    }
  },
);

test('the dashboard of deployments shows what the specification asks for', () => {
  const titles = dashboards.flatMap(([, { panels }]) => panels.map(({ title }) => title));
  for (const word of ['Availability', 'Replicas', 'CPU', 'Memory', 'Failed requests', 'Latency']) {
    expect(titles).toContain(word);
  }
});

test.each([
  ['sum(rate(slipway_absent_total[5m]))', ['slipway_absent_total']],
  ['up{job="x"} / slipway_inflight', ['up', 'slipway_inflight']],
])('the check finds the metrics of %s', (query, expected) => {
  expect(metricsIn(query)).toEqual(expected);
});
