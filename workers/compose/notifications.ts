import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Notifications } from '../../api/notifications/subscription.js';
import { notificationWorkflowId, WAKE_SIGNAL } from '../../notifications/kinds/subscription-ref.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';

const DEADLINE_MS = 3_000;

/** The notification workflows, one per subscription; the first wake-up starts them. */
export function createNotifications({ client, log }: { client: Client; log: Pick<Logger, 'warn'> }): Notifications {
  return {
    async wake(subscriptionId) {
      const start = () =>
        client.workflow.signalWithStart('notification', {
          workflowId: notificationWorkflowId(subscriptionId),
          taskQueue: 'notification',
          args: [{ subscriptionId }],
          signal: WAKE_SIGNAL,
          signalArgs: [],
          staticSummary: `deliveries of ${subscriptionId}`,
          typedSearchAttributes: [
            { key: SEARCH_ATTRIBUTES.resourceKind, value: 'subscription' },
            { key: SEARCH_ATTRIBUTES.resourceId, value: subscriptionId },
          ],
        });
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, start).catch((cause: unknown) => {
        // No event is lost: the waker starts the workflow later.
        log.warn({ err: cause, subscriptionId }, 'could not wake a subscription');
      });
    },
  };
}
