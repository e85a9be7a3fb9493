import { randomUUID } from 'node:crypto';
import { cancellationSignal } from '@temporalio/activity';
import pLimit from 'p-limit';
import type { SubscriptionRef } from '../../notifications/kinds/subscription-ref.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';
import type { Probe } from '../../notifications/delivery/probe.js';
import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { EventStream } from '../../platform/stores/event-stream.js';
import { createWakeSignal } from './wake-signal.js';
import { createDeliveryAttempts } from './delivery-attempt.js';
import { createDrainFaults, type DrainFaultsOptions } from './drain-fault.js';
import { createDueProbe } from './due-probe.js';
import { drain, type DrainDeps, type DrainResult } from './drain.js';
import type { LiveDrains } from './live-drains.js';
import { whileBeating } from '../shared/heartbeat.js';
import type { WebhookSender } from './webhook-sender.js';

export interface NotificationDeps extends Pick<
  DrainDeps,
  | 'subscriptions'
  | 'outbox'
  | 'progress'
  | 'interventions'
  | 'recoveries'
  | 'keysOf'
  | 'headersOf'
  | 'baseUrl'
  | 'hosts'
  | 'pace'
  | 'now'
  | 'check'
  | 'onFault'
  | 'onAttempt'
  | 'onDelivered'
> {
  onDrainFault?: DrainFaultsOptions['onDrainFault'];
  /** The stream `ops`. */
  ops: Pick<EventStream, 'publish'>;
  ledger: AttemptLedger;
  sender: WebhookSender;
  probe: Probe;
  tails: LogTails;
  userAgent: string;
  live: LiveDrains;
}

const FAILURES_AT_ONCE = 4;

/** The activities that deliver the events of subscriptions. */
export function createNotificationActivities(deps: NotificationDeps) {
  const { subscriptions, keysOf, headersOf, probe, ledger, sender, ops, userAgent, now, tails, live } = deps;

  const openStream = (name: string) => ({
    read: (position: number) => tails.read(name, position),
    readOn: (position: number) => tails.readOn(name, position),
    beginning: (mostMs?: number) => tails.beginning(name, mostMs),
  });
  const emit = (event: PlatformEvent) => ops.publish(event);
  const limitFailures = pLimit(FAILURES_AT_ONCE);
  const drainFaults = createDrainFaults(deps);
  const probeWhenDue = createDueProbe({ subscriptions, keysOf, headersOf, probe });

  return {
    /**
     * Delivers the events of one subscription until there is no work for a while.
     * @throws unavailable when a store does not answer; the next try continues from the saved progress
     */
    async drainNotices({ subscriptionId }: SubscriptionRef): Promise<DrainResult> {
      const signal = cancellationSignal();
      const wakeSignal = createWakeSignal();
      const wake = (): void => wakeSignal.notify();
      /** Entries of other streams must not wake it: thousands of drains may be waiting. */
      const streams = new Set<string>();
      const streamOf = (name: string) => {
        streams.add(name);
        return openStream(name);
      };
      const unlisten = tails.listen((stream) => {
        if (streams.has(stream)) wake();
      });
      signal.addEventListener('abort', wake);
      const leave = live.enter(subscriptionId);
      try {
        // Heartbeats start first: loading many open deliveries can take longer than the heartbeat timeout.
        return await whileBeating(async () => {
          await probeWhenDue(subscriptionId);
          // A new owner for each try: intents of another try belong to that try, in whatever process it runs.
          const deliveryAttempts = createDeliveryAttempts({
            ...{ ledger, sender, owner: randomUUID(), userAgent, signal, emit, limitFailures },
            ...(now && { now }),
          });
          const session = {
            deliveryAttempts,
            streamOf,
            wakeSignal,
            signal,
            isCrowded: live.isCrowded,
            isFull: live.isFull,
            refreshMs: live.refreshMs,
          };
          const result = await drain({ ...deps, ...session }, subscriptionId);
          if (!result.ended) await drainFaults.passed(subscriptionId);
          return result;
        });
      } catch (err) {
        // The status may be out of reach too: the error of the drain is the one to report.
        if (!signal.aborted) await drainFaults.failed(subscriptionId, err).catch(() => {});
        throw err;
      } finally {
        leave();
        signal.removeEventListener('abort', wake);
        unlisten();
      }
    },
  };
}
export type NotificationActivities = ReturnType<typeof createNotificationActivities>;
