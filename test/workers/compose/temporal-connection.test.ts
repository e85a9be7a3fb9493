import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { connectWorker, reachTemporal } from '../../../workers/compose/temporal-connection.js';

const settingsOf = (address: string) => parseSettings({ TEMPORAL_ADDRESS: address });

/** A server that answers every call of gRPC with one status. */
async function startServer(status: number): Promise<string> {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status), 'grpc-message': 'no' },
      { endStream: true },
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a server that starts can be waited for', async () => {
  await expect(connectWorker(settingsOf(await startServer(14)))).rejects.toMatchObject({ code: 'unavailable' });
});

test('a server that is away is unavailable, with its address as the cause', async () => {
  const error: unknown = await connectWorker(settingsOf('127.0.0.1:1')).catch((err: unknown) => err);
  expect(error).toMatchObject({ code: 'unavailable', cause: { message: expect.stringContaining('127.0.0.1:1') } });
});

test.each([
  ['an address that is none', async () => 'not a host'],
  ['a server that does not know the key', () => startServer(16)],
  ['a server that denies the permission', () => startServer(7)],
])('%s is not waited for', async (_, addressOf) => {
  const error: unknown = await connectWorker(settingsOf(await addressOf())).catch((err: unknown) => err);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toMatchObject({ code: 'unavailable' });
});

test.each([
  [14, true],
  [5, false],
])('a call that ends with status %i can be waited for: %s', async (status, isAway) => {
  const address = await startServer(status);
  const connection = Connection.lazy({ address, interceptors: [] });
  onTestFinished(() => connection.close());
  const error: unknown = await reachTemporal(() =>
    connection.withDeadline(Date.now() + 5_000, () => connection.workflowService.describeNamespace({ namespace: 'n' })),
  ).catch((err: unknown) => err);
  expect((error as { code?: unknown }).code === 'unavailable').toBe(isAway);
});

test('a client that cannot connect in time can be waited for', async () => {
  const connect = () => Connection.connect({ address: '127.0.0.1:1', connectTimeout: 200 });
  await expect(reachTemporal(connect)).rejects.toMatchObject({ code: 'unavailable' });
});
