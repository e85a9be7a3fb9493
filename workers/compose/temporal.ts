import { readFileSync } from 'node:fs';
import { Client, Connection, type TLSConfig } from '@temporalio/client';
import { LEASE_ANSWER_MS, type RenewLease } from '../../activities/shared/lease.js';
import type { Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { dataConverterOf } from './payload-codec.js';

/** A client that connects with its first call, so that reads work while Temporal is down. */
export function createTemporalClient(settings: Settings): Client {
  const connection = Connection.lazy(connectionOptions(settings));
  return new Client({
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    dataConverter: dataConverterOf(settings),
  });
}

/** Heartbeats that tell whether they arrived; those of the worker do not. */
export function createLeaseRenewal({ activity, connection }: Client): RenewLease {
  return (taskToken) => connection.withDeadline(Date.now() + LEASE_ANSWER_MS, () => activity.heartbeat(taskToken));
}

export type ConnectionSettings = Pick<
  Settings,
  | 'TEMPORAL_ADDRESS'
  | 'TEMPORAL_TLS'
  | 'TEMPORAL_API_KEY'
  | 'TEMPORAL_TLS_CERT'
  | 'TEMPORAL_TLS_KEY'
  | 'TEMPORAL_TLS_CA'
>;

/** @throws validation_failed when a file of the certificate cannot be read, or one of its two is not named */
export function connectionOptions(settings: ConnectionSettings) {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: apiKey } = settings;
  return { address, tls: tlsOf(settings), ...(apiKey !== undefined && { apiKey }) };
}

function tlsOf(settings: ConnectionSettings): true | TLSConfig | undefined {
  const {
    TEMPORAL_TLS,
    TEMPORAL_API_KEY,
    TEMPORAL_TLS_CERT: cert,
    TEMPORAL_TLS_KEY: key,
    TEMPORAL_TLS_CA: ca,
  } = settings;
  if ((cert === undefined) !== (key === undefined)) {
    throw new SlipwayError('validation_failed', 'TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY belong together: set both');
  }
  const files = {
    ...(cert !== undefined &&
      key !== undefined && {
        clientCertPair: { crt: readPem('TEMPORAL_TLS_CERT', cert), key: readPem('TEMPORAL_TLS_KEY', key) },
      }),
    ...(ca !== undefined && { serverRootCACertificate: readPem('TEMPORAL_TLS_CA', ca) }),
  };
  if (Object.keys(files).length > 0) return files;
  return TEMPORAL_TLS || TEMPORAL_API_KEY !== undefined ? true : undefined;
}

function readPem(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new SlipwayError('validation_failed', `${setting} cannot be read: ${path}`, { cause });
  }
}
