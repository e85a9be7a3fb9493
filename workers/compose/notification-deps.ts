import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Agent } from 'undici';
import type { Settings } from '../../config.js';
import type { NotificationDeps } from '../../activities/notifications/notification.js';
import { createPace } from '../../activities/notifications/pace.js';
import { createLiveDrains } from '../../activities/notifications/live-drains.js';
import type { EventFault } from '../../activities/notifications/event-batch.js';
import { createProbe } from '../../activities/notifications/probe.js';
import { createTestEvent } from '../../activities/notifications/test-event.js';
import { createWebhookHosts } from '../../activities/notifications/webhook-hosts.js';
import { createWebhookSender, type WebhookSender } from '../../activities/notifications/webhook-sender.js';
import type { FeedConsumer } from '../../notifications/kinds/feed-consumer.js';
import { createSchemaCheck } from '../../notifications/events/schema-check.js';
import type { PlatformStream } from '../../platform/kinds/platform-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { createAttemptLedger } from '../../notifications/stores/attempts.js';
import type { Database } from '../../platform/stores/database.js';
import { createEventStream } from '../../platform/stores/event-stream.js';
import type { KeptLists } from '../../platform/stores/kept-lists.js';
import { runForLeader } from '../../platform/stores/leader.js';
import { createOperatorActions } from '../../notifications/stores/operator-actions.js';
import { createLostWakeUps } from '../../notifications/stores/lost-wake-ups.js';
import { createLogTails } from '../../notifications/stores/log-tails.js';
import { createStreamEnds } from '../../notifications/stores/stream-ends.js';
import { createOutbox } from '../../notifications/stores/outbox.js';
import { createProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { createRecoveries } from '../../notifications/stores/recoveries.js';
import { createResources } from '../../notifications/stores/resources.js';
import { type HeadersOf, openHeaders } from '../../notifications/delivery/sealed-headers.js';
import { openSigningKeys } from '../../notifications/delivery/sealed-keys.js';
import type { NotificationMetrics } from './notification-metrics.js';
import { createWake } from './notifications.js';
import type { ProcessContext } from './process.js';
import { openSecretBox } from './secret-box.js';
import { createStallWatch } from './stall-watch.js';
import { slotsOf } from './task-queues.js';
import { VERSION } from './version.js';
import { createSubscriptionChanges } from './subscription-changes.js';
import { createWaker } from './waker.js';

interface NotificationContext extends ProcessContext {
  client: Client;
  database: Database;
  webhookAgent: Agent;
  metrics: NotificationMetrics;
}

/** @param lists the lists that the process keeps in memory */
export function createNotificationStores(database: Database, lists?: KeptLists) {
  const open = (stream: PlatformStream) => createEventStream({ database, stream });
  const streams = { pipeline: open('pipeline'), watch: open('watch'), ops: open('ops') };
  return {
    subscriptions: createResources<Subscription>({ database, kind: 'Subscription', lists }),
    outbox: createOutbox({ database }),
    ledger: createAttemptLedger({ database }),
    progress: createProgressStore({ database }),
    interventions: createOperatorActions({ database }),
    recoveries: createRecoveries({ database }),
    lostWakeUps: createLostWakeUps({ database }),
    readStreamEnd: createStreamEnds({ database }),
    consumers: createResources<FeedConsumer>({ database, kind: 'FeedConsumer' }),
    ops: streams.ops,
    endOfStream: (stream: PlatformStream) => streams[stream].end(),
    readStream: (stream: PlatformStream, position: number) => streams[stream].read(position),
  };
}

export type NotificationStores = ReturnType<typeof createNotificationStores>;

export const USER_AGENT = `Slipway/${VERSION}`;

const signingKeysOf = (box: SecretBox) => (subscription: Subscription) =>
  openSigningKeys(subscription, box, new Date());

const headersOf =
  (box: SecretBox): HeadersOf =>
  ({ id, spec }) =>
    openHeaders({ id, headers: spec.headers }, box);

/** Opens the sender of test events, which runs in the API process. */
export const openTestEvent = ({ box, sender }: { box: SecretBox; sender: WebhookSender }) =>
  createTestEvent({ sender, keysOf: signingKeysOf(box), headersOf: headersOf(box), userAgent: USER_AGENT });

/** A schema fault is a bug of the platform: it is counted and logged, and the event is delivered anyway. */
export const openSchemaCheck = (log: Pick<Logger, 'error'>, metrics: Pick<NotificationMetrics, 'fault'>) =>
  createSchemaCheck({
    onFault: (fault) => {
      metrics.fault(fault);
      log.error(fault, 'an event does not match its schema');
    },
  });

/** An unexpected error is a bug of the platform: it fails one delivery, and is counted and logged. */
export const openEventFaults =
  (log: Pick<Logger, 'error'>, metrics: Pick<NotificationMetrics, 'eventFault'>) =>
  ({ event: { id, type, stream, position }, reason, err }: EventFault): void => {
    metrics.eventFault(type);
    log.error({ err, id, type, stream, position }, `an event failed: ${reason}`);
  };

/** Returns the prefix of the addresses in events. */
export const baseUrlOf = ({ SLIPWAY_BASE_URL }: Pick<Settings, 'SLIPWAY_BASE_URL'>): string =>
  SLIPWAY_BASE_URL.replace(/\/$/, '');

/** Opens the dependencies of deliveries. A worker of the `notification` queue also wakes subscriptions with new events. */
export function openNotificationDeps(context: NotificationContext): NotificationDeps {
  const { settings, log, client, database, webhookAgent, metrics } = context;
  const stores = createNotificationStores(database);
  const onError = (err: unknown): void => log.warn({ err }, 'events cannot be read; the worker retries');
  const tails = createLogTails({ database, onError });
  const pace = createPace();
  const live = createLiveDrains(slotsOf('notification', settings));
  const delivering = new Set<string>();
  if (settings.SLIPWAY_QUEUES.includes('notification')) {
    createStallWatch({ tails, ops: stores.ops, onError });
    const wakerOptions = {
      ...{ ...stores, tails, live, pace, delivering, now: () => database.now().getTime(), wake: createWake(client) },
      onError: (err: unknown, subscription?: string) =>
        log.warn({ err, subscription }, 'a subscription is not woken; the worker retries'),
    };
    // One worker of the installation finds the subscriptions of an event; see docs/decisions/one-matcher.md.
    runForLeader({
      ...{ database, task: 'waker', onError },
      lead: () => createWaker({ ...wakerOptions, changes: createSubscriptionChanges({ database, onError }) }),
    });
  }
  const { now } = database;
  const box = openSecretBox(settings);
  const sender = createWebhookSender({ dispatcher: webhookAgent, now });
  return {
    ...stores,
    now,
    pace,
    sender,
    probe: createProbe({ sender, userAgent: USER_AGENT, origin: new URL(settings.SLIPWAY_BASE_URL).hostname }),
    tails,
    live,
    hosts: createWebhookHosts({
      perSecond: settings.SLIPWAY_WEBHOOK_HOST_RATE,
      concurrency: settings.SLIPWAY_WEBHOOK_HOST_CONCURRENCY,
    }),
    check: openSchemaCheck(log, metrics),
    onFault: openEventFaults(log, metrics),
    onDrainFault: ({ subscription, err }) => {
      metrics.drainFault(subscription);
      log.error({ err, subscription }, 'deliveries of a subscription stopped; the worker retries');
    },
    onAttempt: (subscription, end) => {
      metrics.attempted(subscription, end);
      if (end.outcome === 'confirmed') delivering.add(subscription);
    },
    onDelivered: metrics.delivered,
    userAgent: USER_AGENT,
    baseUrl: baseUrlOf(settings),
    keysOf: signingKeysOf(box),
    headersOf: headersOf(box),
  };
}
