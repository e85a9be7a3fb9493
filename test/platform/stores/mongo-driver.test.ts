import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
// @ts-expect-error The driver declares no types for its parts.
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { expect, test } from 'vitest';
import { mendDriver } from '../../../platform/stores/mongo-driver.js';

interface Commands {
  command(namespace: { db: string }, command: object, options: object): Promise<unknown>;
  listenerCount(event: string): number;
}

mendDriver();

test('a command on a connection whose socket is gone, but not reported closed yet, fails and does not wait', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const connection = new (Connection as new (...given: unknown[]) => Commands)(socket, { id: 1, generation: 0 });
  const listeners = connection.listenerCount('close');

  socket.destroy();
  const hello = connection.command({ db: 'admin' }, { hello: 1 }, { socketTimeoutMS: 100 });

  await expect(hello).rejects.toThrow(/closed/);
  expect(connection.listenerCount('close')).toBe(listeners);
  server.close();
});
