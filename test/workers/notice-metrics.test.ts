import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createNoticeMetrics } from '../../workers/notice-metrics.js';
import { openSchemaCheck } from '../../workers/notifying.js';

test('delays are a histogram, and what is not as its schema says is counted by type', async () => {
  const registry = new Registry();
  const metrics = createNoticeMetrics(registry);
  metrics.delivered(80);
  metrics.delivered(7_000);
  const logged: object[] = [];
  const check = openSchemaCheck({ error: (fault: object) => void logged.push(fault) }, metrics);
  const event = { type: 'ops.feed_stalled', schemaVersion: 1, stream: 'ops' };
  check(event, '{"stream":"positions","position":1}', { fields: {} });
  check(event, '{"stream":"positions"}', { fields: {} });
  const text = await registry.metrics();
  expect(text).toContain('# TYPE slipway_notification_delay_seconds histogram');
  expect(text).toMatch(/slipway_notification_delay_seconds_bucket\{le="0.1"\} 1\n/);
  expect(text).toMatch(/slipway_notification_delay_seconds_bucket\{le="10"\} 2\n/);
  expect(text).toMatch(/slipway_notification_delay_seconds_sum 7.08\n/);
  expect(text).toContain('slipway_event_schema_faults_total{type="ops.feed_stalled"} 1');
  expect(logged).toMatchObject([{ type: 'ops.feed_stalled', count: 1 }]);
});
