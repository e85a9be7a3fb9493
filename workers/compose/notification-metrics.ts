import { Counter, Histogram, type Registry } from 'prom-client';
import type { SchemaFault } from '../../notifications/events/schema-check.js';
import type { AttemptEnd } from '../../notifications/kinds/attempt.js';

/** The metrics of a process that fans out events and dispatches deliveries. */
export function createNotificationMetrics(metrics: Registry) {
  const registers = [metrics];
  const faults = new Counter({
    name: 'slipway_event_schema_faults_total',
    help: 'Events that did not match their schema, by type; they are delivered anyway',
    labelNames: ['type'],
    registers,
  });
  const eventFaults = new Counter({
    name: 'slipway_event_faults_total',
    help: 'Events that an unexpected error kept from being filtered or written, by type; their deliveries failed',
    labelNames: ['type'],
    registers,
  });
  const drainFaults = new Counter({
    name: 'slipway_notification_drain_faults_total',
    help: 'Drains that ended with an unexpected error, by subscription',
    labelNames: ['subscription'],
    registers,
  });
  const delay = new Histogram({
    name: 'slipway_notification_delay_seconds',
    help: 'Time from the creation of a delivery to the 2xx of its receiver, by this process; without resent deliveries',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
    registers,
  });
  const attempts = new Histogram({
    name: 'slipway_notification_attempt_seconds',
    help: 'Time from the start of an attempt to its answer, or to its end without one, by this process',
    labelNames: ['subscription'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
  });
  return {
    fault: ({ type }: SchemaFault): void => faults.inc({ type }),
    eventFault: (type: string): void => eventFaults.inc({ type }),
    drainFault: (subscription: string): void => drainFaults.inc({ subscription }),
    attempted: (subscription: string, { latencyMs }: AttemptEnd): void => {
      if (latencyMs !== undefined) attempts.observe({ subscription }, latencyMs / 1_000);
    },
    delivered: (delayMs: number): void => delay.observe(delayMs / 1_000),
  };
}
export type NotificationMetrics = ReturnType<typeof createNotificationMetrics>;
