import { isGrpcServiceError } from '@temporalio/client';
import { NativeConnection, TransportError } from '@temporalio/worker';
import { unavailable } from '../../platform/kinds/errors.js';
import { connectionOptions, type ConnectionSettings } from './temporal.js';

/** Codes of gRPC: deadline exceeded, unavailable. */
const AWAY: readonly number[] = [4, 14];
/** Texts of a connection whose credentials the server refuses; it has no code. */
const REFUSED = /valid authentication credentials|does not have permission/;
/** Text of `Connection.connect`, whose error has no type. */
const NOT_CONNECTED = 'Failed to connect before the deadline';

/** The connection of a worker. @throws unavailable when the server does not answer */
export const connectWorker = (settings: ConnectionSettings): Promise<NativeConnection> =>
  reachTemporal(() => NativeConnection.connect(connectionOptions(settings)));

/** @throws unavailable when Temporal does not answer; other errors as they are */
export async function reachTemporal<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!isAway(cause)) throw cause;
    throw unavailable('Temporal does not answer', cause);
  }
}

function isAway(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  // Clients of the SDK wrap the error of the call.
  const call = isGrpcServiceError(err) ? err : err.cause;
  if (isGrpcServiceError(call)) return AWAY.includes(call.code);
  if (err instanceof TransportError) return !REFUSED.test(err.message);
  return err.message === NOT_CONNECTED;
}
