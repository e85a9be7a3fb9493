import type { Server } from 'node:http';
import { SlipwayError } from '../../platform/kinds/errors.js';

/** @throws unavailable, naming the address, when it is taken */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new SlipwayError('unavailable', `${host}:${port} cannot be bound: ${cause.message}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

const PATIENCE_MS = 5_000;

/** Takes no new connection and ends with the last reply; a stream that goes on for long is cut. */
export async function close(server: Server, { patienceMs = PATIENCE_MS } = {}): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), patienceMs).unref();
  });
}
