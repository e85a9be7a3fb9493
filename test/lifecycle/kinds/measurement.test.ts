import { expect, test } from 'vitest';
import {
  type CallMeasurement,
  LATENCY_BOUNDS,
  quantile,
  toDeploymentMetrics,
} from '../../../lifecycle/kinds/measurement.js';

/** Calls by the upper bound of their bucket. */
const bucketed = (calls: Readonly<Record<number, number>>): number[] =>
  [...LATENCY_BOUNDS, Infinity].map((bound) => calls[bound] ?? 0);
const ofGateway = (more: Partial<CallMeasurement> = {}): CallMeasurement => ({
  ...{ id: 'wine', requests: 10, failed: 1, inflight: 2, latencies: bucketed({ 0.01: 10 }) },
  ...more,
});
const status = { state: 'Ready', replicas: 2, availableReplicas: 1 };

test.each([
  ['all in one bucket', bucketed({ 0.1: 10 }), 0.5, 0.075],
  ['the upper end of a bucket', bucketed({ 0.001: 50, 1: 50 }), 0.5, 0.001],
  ['the bucket after it', bucketed({ 0.001: 50, 1: 50 }), 0.75, 0.75],
  ['beyond the last bound', bucketed({ Infinity: 3 }), 0.99, 60],
])('a quantile: %s', (_, latencies, share, expected) => {
  expect(quantile(latencies, share)).toBeCloseTo(expected, 10);
});

test('calls of several gateways and replicas of several workers are added up', () => {
  const calls = [ofGateway(), ofGateway({ latencies: bucketed({ 0.01: 9, 5: 1 }) }), ofGateway({ id: 'other' })];
  const replicas = [
    { id: 'wine', restarts: 1, cpuCores: 0.5, memoryBytes: 100 },
    { id: 'wine', restarts: 2, memoryBytes: 50 },
  ];
  expect(toDeploymentMetrics({ calls, replicas })({ id: 'wine', status })).toEqual({
    ...{ id: 'wine', state: 'Ready', replicas: 2, availableReplicas: 1, availability: 0.5 },
    ...{ restarts: 3, cpuCores: 0.5, memoryBytes: 150, windowSeconds: 300, requests: 20, failed: 2, inflight: 4 },
    latencySeconds: { p50: 0.007632, p95: 0.01, p99: 4.5 },
  });
});

test.each([
  ['Ready', 1],
  ['Processing', 0],
])(
  'a deployment without replicas that is %s has the availability %d, and nothing that was not measured',
  (state, availability) => {
    const metrics = toDeploymentMetrics({ calls: [], replicas: [] })({
      id: 'wine',
      status: { state, replicas: 0, availableReplicas: 0 },
    });
    expect(metrics).toEqual({
      ...{ id: 'wine', state, replicas: 0, availableReplicas: 0, availability },
      ...{ windowSeconds: 300, requests: 0, failed: 0, inflight: 0 },
    });
  },
);
