import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Agent } from 'undici';
import type { Settings } from '../../config.js';
import type { NotificationDeps } from '../../activities/notifications/notification.js';
import { createProbe } from '../../activities/notifications/probe.js';
import { createTestEvent } from '../../activities/notifications/test-event.js';
import { createWebhookSender, type WebhookSender } from '../../activities/notifications/webhook-sender.js';
import type { FeedConsumer } from '../../notifications/kinds/feed-consumer.js';
import { createSchemaCheck } from '../../notifications/events/schema-check.js';
import { PLATFORM_STREAMS, type PlatformStream } from '../../platform/kinds/platform-event.js';
import { liveKeys, type Subscription } from '../../notifications/kinds/subscription.js';
import { createAttemptLedger } from '../../notifications/stores/attempts.js';
import type { Database } from '../../platform/stores/database.js';
import { createEventStream } from '../../platform/stores/event-stream.js';
import { createOperatorActions } from '../../notifications/stores/operator-actions.js';
import { createLogTails } from '../../notifications/stores/log-tails.js';
import { createOutbox } from '../../notifications/stores/outbox.js';
import { createProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { createRecoveries } from '../../notifications/stores/recoveries.js';
import { createResources } from '../../notifications/stores/resources.js';
import { parseSigningKey } from '../../notifications/delivery/signing-keys.js';
import type { NotificationMetrics } from './notification-metrics.js';
import { createNotifications } from './notifications.js';
import type { ProcessContext } from './process.js';
import { openSecretBox } from './secret-box.js';
import { createStallWatch } from './stall-watch.js';
import { VERSION } from './version.js';
import { createWaker } from './waker.js';

interface NotifyingContext extends ProcessContext {
  client: Client;
  database: Database;
  webhookAgent: Agent;
  metrics: NotificationMetrics;
}

export function createNotificationStores(database: Database) {
  const streams = new Map(PLATFORM_STREAMS.map((stream) => [stream, createEventStream({ database, stream })]));
  return {
    subscriptions: createResources<Subscription>({ database, kind: 'Subscription' }),
    outbox: createOutbox({ database }),
    ledger: createAttemptLedger({ database }),
    progress: createProgressStore({ database }),
    interventions: createOperatorActions({ database }),
    recoveries: createRecoveries({ database }),
    consumers: createResources<FeedConsumer>({ database, kind: 'FeedConsumer' }),
    endOfStream: async (stream: PlatformStream) => (await streams.get(stream)?.end()) ?? 0,
    readStream: async (stream: PlatformStream, position: number) => streams.get(stream)?.read(position),
  };
}

export const USER_AGENT = `Slipway/${VERSION}`;

const signingKeysOf =
  (box: SecretBox) =>
  ({ status }: Subscription) =>
    liveKeys(status.keys, new Date()).map(({ secret }) => parseSigningKey(box.open(secret)));

/** Sends examples to receivers, from the process that was asked to. */
export const openTestEvent = ({ box, sender }: { box: SecretBox; sender: WebhookSender }) =>
  createTestEvent({ sender, keysOf: signingKeysOf(box), userAgent: USER_AGENT });

/** A fault is ours: it is told to us, and the event to subscribers all the same. */
export const openSchemaCheck = (log: Pick<Logger, 'error'>, metrics: Pick<NotificationMetrics, 'fault'>) =>
  createSchemaCheck({
    onFault: (fault) => {
      metrics.fault(fault);
      log.error(fault, 'an event is not as its schema says');
    },
  });

/** Addresses in notices begin with it. */
export const baseUrlOf = ({ SLIPWAY_BASE_URL }: Pick<Settings, 'SLIPWAY_BASE_URL'>): string =>
  SLIPWAY_BASE_URL.replace(/\/$/, '');

/** What a worker needs to deliver; one that polls the queue of notices also wakes subscriptions that something concerns. */
export function openNotificationDeps(context: NotifyingContext): NotificationDeps {
  const { settings, log, client, database, webhookAgent, metrics } = context;
  const stores = createNotificationStores(database);
  const onError = (err: unknown): void => log.warn({ err }, 'events cannot be followed just now');
  const tails = createLogTails({ database, onError });
  const live = new Set<string>();
  if (settings.SLIPWAY_QUEUES.includes('notification')) {
    createStallWatch({ tails, ops: createEventStream({ database, stream: 'ops' }), onError });
    createWaker({ ...stores, tails, live, notifications: createNotifications({ client, log }), onError });
  }
  const sender = createWebhookSender({ dispatcher: webhookAgent });
  return {
    ...stores,
    sender,
    probe: createProbe({ sender, userAgent: USER_AGENT, origin: new URL(settings.SLIPWAY_BASE_URL).hostname }),
    tails,
    live,
    check: openSchemaCheck(log, metrics),
    attempted: metrics.attempted,
    delivered: metrics.delivered,
    userAgent: USER_AGENT,
    baseUrl: baseUrlOf(settings),
    keysOf: signingKeysOf(openSecretBox(settings)),
  };
}
