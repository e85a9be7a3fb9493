import { expect, test } from 'vitest';
import { createCalls } from '../../gateway/calls.js';
import { createMetrics } from '../../gateway/metrics.js';
import { createDeploymentSeries } from '../../gateway/deployment-series.js';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';

const MINUTE_MS = 60_000;

test('the series of a revision are removed eleven minutes after it left the route table', () => {
  let nowMs = 0;
  const removed: unknown[] = [];
  const series = createDeploymentSeries({ remove: (...what) => removed.push(what), now: () => nowMs });
  const [first, second] = [1, 2].map((generation) => ({ id: 'wine', generation }));
  if (first === undefined || second === undefined) throw new Error('two revisions');
  const labels = series.labelsOf(first);
  series.noteCode(labels, '200');
  series.noteCode(labels, '502');
  series.labelsOf(second);
  series.retain([second]);
  nowMs = 10 * MINUTE_MS;
  series.retain([first, second]); // a rollback
  nowMs = 12 * MINUTE_MS;
  series.retain([second]);
  nowMs = 22 * MINUTE_MS;
  series.retain([second]);
  expect(removed).toEqual([]);
  nowMs = 23 * MINUTE_MS;
  series.retain([second]);
  series.retain([second]);
  expect(removed).toEqual([[{ deployment: 'wine', revision: '1' }, ['200', '502']]]);
});

test('after a hundred deployments came and went, the gateway exposes no more than before', async () => {
  let nowMs = 0;
  const metrics = createMetrics({
    spool: { stats: () => ({ bytes: 0, dropped: 0, refused: 0 }) },
    calls: createCalls(),
    now: () => nowMs,
  });
  const before = (await metrics.registry.metrics()).length;
  const endpointOf = (id: string): Endpoint => ({
    ...{
      id,
      uid: id,
      generation: 1,
      roleName: '',
      modelName: id,
      modelVersion: '1',
      timeoutSeconds: 60,
      feedback: true,
    },
    ...{ replicas: [], info: {} },
  });
  for (let at = 0; at < 100; at += 1) {
    metrics.begin(endpointOf(`d${at}`))(200, 0.1, 0.1);
    metrics.mirrored(`d${at}`, 'answered');
  }
  expect((await metrics.registry.metrics()).length).toBeGreaterThan(10 * before);
  metrics.retain([]);
  nowMs = 11 * MINUTE_MS;
  metrics.retain([]);
  const text = await metrics.registry.metrics();
  expect(text).not.toContain('deployment="d');
});
