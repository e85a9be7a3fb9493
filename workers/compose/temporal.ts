import { Client, Connection } from '@temporalio/client';
import type { Settings } from '../../config.js';

/** A client that connects with its first call, so that reads work while Temporal is down. */
export function createTemporalClient(settings: Settings): Client {
  const connection = Connection.lazy(connectionOptions(settings));
  return new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE });
}

export function connectionOptions({ TEMPORAL_ADDRESS, TEMPORAL_TLS, TEMPORAL_API_KEY }: Settings) {
  const apiKey = TEMPORAL_API_KEY === undefined ? {} : { apiKey: TEMPORAL_API_KEY };
  return {
    address: TEMPORAL_ADDRESS,
    tls: TEMPORAL_TLS || TEMPORAL_API_KEY !== undefined ? true : undefined,
    ...apiKey,
  };
}
