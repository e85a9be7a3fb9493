import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { publishEndpoint, requireRoute } from '../../../activities/deployment/endpoint-publication.js';
import type { Revision } from '../../../lifecycle/kinds/revision.js';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { PATIENT } from '../../patient-server.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A replica that describes its model, and counts how often it was asked. */
async function startReplica(reply = '{"info":{"title":"wine"}}', status = 200) {
  let asked = 0;
  const server = createServer(PATIENT, (request, response) => {
    if (request.url === '/api/model/info') asked += 1;
    response.writeHead(status).end(reply);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { replica: { name: 'r0', url }, asked: () => asked };
}

const revision = (generation: number): Revision => ({
  ...{ ref: { id: 'wine', uid: 'u', generation }, image: 'wine:3', imageId: 'sha256:1', roleName: 'role-wine' },
  ...{ feedback: true, replicas: 1, limits: { cpus: 1, memoryBytes: 1 }, readinessDelay: 0, port: 5_000 },
  ...{ timeoutSeconds: 60, modelName: 'wine', modelVersion: '3', records: { redact: ['$.a'], retentionDays: 7 } },
  ...{ roles: ['shop'], description: 'rates wine' },
});
function open() {
  const endpoints = createEndpoints({ database: createMemoryDatabase() });
  const publish = (replicas: { name: string; url: string }[], { generation = 1, epoch = 1, canceled = false } = {}) =>
    publishEndpoint(endpoints, {
      ...{ revision: revision(generation), replicas, epoch },
      signal: canceled ? AbortSignal.abort(new Error('canceled')) : new AbortController().signal,
    });
  return { endpoints, publish, stored: () => endpoints.get('wine') };
}

test('the route has the facts of the revision and the description of the model, and nothing of the engine', async () => {
  const [{ publish, stored }, { replica }] = [open(), await startReplica()];
  await publish([replica]);
  expect(await stored()).toEqual({
    ...{ id: 'wine', uid: 'u', generation: 1, imageId: 'sha256:1', roleName: 'role-wine', feedback: true },
    ...{ modelName: 'wine', modelVersion: '3', timeoutSeconds: 60, records: { redact: ['$.a'], retentionDays: 7 } },
    ...{ roles: ['shop'], description: 'rates wine' },
    ...{ replicas: [replica], info: { info: { title: 'wine' } }, epoch: 1 },
  });
});

test('the description is read once for a generation, from its first replica', async () => {
  const [{ publish, stored }, first, second] = [open(), await startReplica(), await startReplica('{"other":1}')];
  await publish([first.replica]);
  await publish([second.replica, first.replica]);
  await publish([]);
  expect([first.asked(), second.asked()]).toEqual([1, 0]);
  expect(await stored()).toMatchObject({ replicas: [], info: { info: { title: 'wine' } } });
  await publish([second.replica], { generation: 2 });
  expect(await stored()).toMatchObject({ generation: 2, info: { other: 1 } });
});

test('without a replica there is no description, and the route says so', async () => {
  const { publish, stored } = open();
  await publish([]);
  expect(await stored()).toMatchObject({ replicas: [], info: {} });
});

test.each([
  ['no JSON', '<html>', 200],
  ['no object', '"wine"', 200],
  ['an error', '{}', 500],
])('an image that answers with %s gets no traffic', async (_, reply, status) => {
  const [{ publish, stored }, { replica }] = [open(), await startReplica(reply, status)];
  await expect(publish([replica])).rejects.toMatchObject({ code: 'run_failed', detail: { reason: 'ProbeFailed' } });
  expect(await stored()).toBeUndefined();
});

test('an attempt that was replaced publishes nothing, and may start nothing', async () => {
  const [{ endpoints, publish, stored }, { replica }] = [open(), await startReplica()];
  await publish([replica], { generation: 2, epoch: 9 });
  await expect(publish([], { generation: 1, epoch: 8 })).rejects.toMatchObject({ code: 'conflict', retryable: true });
  expect(await stored()).toMatchObject({ generation: 2, replicas: [replica] });
  await expect(requireRoute(endpoints, 'wine', 8)).rejects.toMatchObject({ code: 'conflict' });
  await requireRoute(endpoints, 'wine', 9);
});

test('a canceled publication leaves the routes as they were', async () => {
  const [{ publish, stored }, { replica }] = [open(), await startReplica()];
  await expect(publish([replica], { canceled: true })).rejects.toThrow('canceled');
  expect(await stored()).toBeUndefined();
});
