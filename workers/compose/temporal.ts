import { Client, Connection } from '@temporalio/client';
import { LEASE_ANSWER_MS, type RenewLease } from '../../activities/shared/lease.js';
import type { Settings } from '../../config.js';

/** A client that connects with its first call, so that reads work while Temporal is down. */
export function createTemporalClient(settings: Settings): Client {
  const connection = Connection.lazy(connectionOptions(settings));
  return new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE });
}

/** Heartbeats that tell whether they arrived; those of the worker do not. */
export function createLeaseRenewal({ activity, connection }: Client): RenewLease {
  return (taskToken) => connection.withDeadline(Date.now() + LEASE_ANSWER_MS, () => activity.heartbeat(taskToken));
}

export type ConnectionSettings = Pick<Settings, 'TEMPORAL_ADDRESS' | 'TEMPORAL_TLS' | 'TEMPORAL_API_KEY'>;

export function connectionOptions({ TEMPORAL_ADDRESS, TEMPORAL_TLS, TEMPORAL_API_KEY }: ConnectionSettings) {
  const apiKey = TEMPORAL_API_KEY === undefined ? {} : { apiKey: TEMPORAL_API_KEY };
  return {
    address: TEMPORAL_ADDRESS,
    tls: TEMPORAL_TLS || TEMPORAL_API_KEY !== undefined ? true : undefined,
    ...apiKey,
  };
}
