import { expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { createNotificationMetrics } from '../../../workers/compose/notification-metrics.js';
import { openEventFaults, openSchemaCheck } from '../../../workers/compose/notification-deps.js';

test('delays and attempts are histograms, and events that do not match their schema are counted by type', async () => {
  const registry = new Registry();
  const metrics = createNotificationMetrics(registry);
  metrics.delivered(80);
  metrics.delivered(7_000);
  const end = { outcome: 'refused', at: '2026-02-11T09:30:12.114Z' } as const;
  metrics.attempted('sub_1', { ...end, latencyMs: 80 });
  metrics.attempted('sub_1', { ...end, latencyMs: 300 });
  metrics.attempted('sub_1', end);
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
  expect(text).toContain('# TYPE slipway_notification_attempt_seconds histogram');
  expect(text).toMatch(/slipway_notification_attempt_seconds_bucket\{le="0.1",subscription="sub_1"\} 1\n/);
  expect(text).toMatch(/slipway_notification_attempt_seconds_count\{subscription="sub_1"\} 2\n/);
  expect(text).toContain('slipway_event_schema_faults_total{type="ops.feed_stalled"} 1');
  expect(logged).toMatchObject([{ type: 'ops.feed_stalled', count: 1 }]);
});

test('events and drains that end with an unexpected error are counted and logged', async () => {
  const registry = new Registry();
  const metrics = createNotificationMetrics(registry);
  const logged: unknown[] = [];
  const onFault = openEventFaults({ error: (...line: unknown[]) => void logged.push(line) }, metrics);
  const event = { id: 'evt_1', type: 'dataset.a.created', stream: 'a', position: 7 };
  onFault({ event, reason: 'the filter could not be evaluated', err: new TypeError('no') });
  metrics.drainFault('sub_1');
  const text = await registry.metrics();
  expect(text).toContain('slipway_event_faults_total{type="dataset.a.created"} 1');
  expect(text).toContain('slipway_notification_drain_faults_total{subscription="sub_1"} 1');
  expect(logged).toMatchObject([[{ ...event, err: { name: 'TypeError' } }, expect.stringContaining('the filter')]]);
});
