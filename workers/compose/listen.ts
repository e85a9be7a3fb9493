import type { Server } from 'node:http';
import { closeGracefully, prepareClose } from '../../gateway/graceful-close.js';
import { SlipwayError } from '../../platform/kinds/errors.js';

/** @throws unavailable, naming the address, when it is taken */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  prepareClose(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new SlipwayError('unavailable', `${host}:${port} cannot be bound: ${cause.message}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

const PATIENCE_MS = 5_000;

/** Takes no new connection and ends with the last reply; a stream that goes on for long is cut. */
export const close = (server: Server, { patienceMs = PATIENCE_MS } = {}): Promise<void> =>
  closeGracefully(server, { patienceMs });
