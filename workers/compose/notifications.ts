import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Notifications } from '../../api/notifications/subscription.js';
import { notificationWorkflowId, WAKE_SIGNAL } from '../../notifications/kinds/subscription-ref.js';
import type { LostWakeUps } from '../../notifications/stores/lost-wake-ups.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';

const DEADLINE_MS = 3_000;

/**
 * Wakes the notification workflow of a subscription; the first wake-up starts it.
 * @throws an error of the client when Temporal does not answer within 3 s
 */
export const createWake =
  (client: Client) =>
  async (subscriptionId: string): Promise<void> => {
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
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, start);
  };

export interface NotificationsDeps {
  client: Client;
  lost: Pick<LostWakeUps, 'add'>;
  log: Pick<Logger, 'warn'>;
}

/** Wakes subscriptions for callers that do not wait for Temporal: what does not reach it is left to the sweep. */
export function createNotifications({ client, lost, log }: NotificationsDeps): Notifications {
  const wake = createWake(client);
  return {
    async wake(subscriptionId) {
      try {
        await wake(subscriptionId).catch(async (err: unknown) => {
          log.warn({ err, subscriptionId }, 'the wake-up of a subscription is left to the sweep');
          await lost.add(subscriptionId);
        });
      } catch (err) {
        log.warn({ err, subscriptionId }, 'the wake-up of a subscription is lost; its next event wakes it');
      }
    },
  };
}

/** The subscriptions whose notification workflow is running, in no order. */
export async function* listNotified(client: Client): AsyncGenerator<string> {
  for await (const { id } of listWorkflows(client, `ExecutionStatus = 'Running'`)) yield id;
}

/** The subscriptions whose notification workflow failed, or was ended from outside, since then, in no order. */
export const listEnded = (client: Client, since: Date) =>
  listWorkflows(
    client,
    `ExecutionStatus IN ('Failed', 'Terminated', 'Canceled', 'TimedOut') AND CloseTime >= '${since.toISOString()}'`,
  );

async function* listWorkflows(client: Client, having: string): AsyncGenerator<{ id: string; runId: string }> {
  const query = `WorkflowType = 'notification' AND ${having}`;
  const prefix = notificationWorkflowId('');
  for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: 1_000 })) {
    yield { id: workflowId.slice(prefix.length), runId };
  }
}
