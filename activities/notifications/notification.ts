import { randomUUID } from 'node:crypto';
import { cancellationSignal } from '@temporalio/activity';
import type { SubscriptionRef } from '../../notifications/kinds/subscription-ref.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';
import type { Probe } from '../../notifications/delivery/probe.js';
import { createWakeSignal } from './wake-signal.js';
import { createDeliveryAttempts } from './delivery-attempt.js';
import { createDueProbe } from './due-probe.js';
import { drain, type DrainDeps, type Turn } from './drain.js';
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
  | 'baseUrl'
  | 'check'
  | 'attempted'
  | 'delivered'
> {
  ledger: AttemptLedger;
  sender: WebhookSender;
  probe: Probe;
  tails: LogTails;
  userAgent: string;
  /** Subscriptions that are being drained in this process. */
  live: Set<string>;
}

/** Notices of subscriptions. */
export function createNotificationActivities(deps: NotificationDeps) {
  const { subscriptions, keysOf, probe, ledger, sender, userAgent, tails, live } = deps;

  const streamOf = (name: string) => ({
    read: (position: number) => tails.read(name, position),
    beginning: (mostMs?: number) => tails.beginning(name, mostMs),
  });
  const probeWhenDue = createDueProbe({ subscriptions, keysOf, probe });

  return {
    /**
     * Makes and sends what there is for one subscription, and stays for what comes while more comes.
     * @throws unavailable when a store does not answer: whoever comes next goes on from what was written
     */
    async drainNotices({ subscriptionId }: SubscriptionRef): Promise<Turn> {
      const signal = cancellationSignal();
      const bell = createWakeSignal();
      const unlisten = tails.listen(() => bell.ring());
      const ring = (): void => bell.ring();
      signal.addEventListener('abort', ring);
      live.add(subscriptionId);
      try {
        // All the time: where much is open, picking it up alone can take longer than the server waits for a sign of life.
        return await whileBeating(async () => {
          await probeWhenDue(subscriptionId);
          // An owner of its own: what another try of this activity announced, in this process or not, is another's.
          const delivering = createDeliveryAttempts({ ledger, sender, owner: randomUUID(), userAgent, signal });
          return drain({ ...deps, delivering, streamOf, bell, signal }, subscriptionId);
        });
      } finally {
        live.delete(subscriptionId);
        signal.removeEventListener('abort', ring);
        unlisten();
      }
    },
  };
}
export type NotificationActivities = ReturnType<typeof createNotificationActivities>;
