import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { PATIENT } from '../../patient-server.js';

let server: Server;
let status = 200;
let objects: ObjectStore;
beforeAll(async () => {
  server = createServer(PATIENT, (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(status).end(JSON.stringify({ error: { code: status, message: 'no' } })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  objects = createGcsObjects({ bucket: 'wine', apiEndpoint });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const drain = async () => {
  for await (const info of objects.list('x/')) void info;
};

test.each([
  [400, { code: 'storage_refused', retryable: false, message: 'object storage refused "x/y" (status 400)' }],
  [413, { code: 'storage_refused', retryable: false }],
  [403, { code: 'storage_denied', retryable: true, message: 'object storage refused "x/y" (status 403)' }],
  [425, { code: 'unavailable', retryable: true }],
  [404, { code: 'not_found', message: 'bucket "wine" is not found' }],
])('a put that is answered %i says what a repeat would do', async (answer, error) => {
  status = answer;
  await expect(objects.put('x/y', 'text')).rejects.toMatchObject(error);
});

test('a list of a bucket that is missing names the bucket, a read of an object the object', async () => {
  status = 404;
  await expect(drain()).rejects.toMatchObject({ code: 'not_found', message: 'bucket "wine" is not found' });
  await expect(objects.read('x/y')).rejects.toMatchObject({ code: 'not_found', message: 'object "x/y" is not found' });
});
