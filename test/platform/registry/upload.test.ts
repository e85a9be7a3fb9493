import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { onTestFinished, expect, test } from 'vitest';
import { digestOfBytes } from '../../../platform/registry/manifests.js';
import { createSession } from '../../../platform/registry/session.js';
import { uploadBlob } from '../../../platform/registry/upload.js';
import { PATIENT } from '../../patient-server.js';

const CONTENT = Buffer.from('0123456789');

/** The uploads of a registry that keeps what came before a failure: each plan says how many bytes a request may bring. */
async function listen(plan: (number | 'lost' | 'silent')[]) {
  let held = Buffer.alloc(0);
  const requests: string[] = [];
  const server = createServer(PATIENT, (request, response) => {
    void buffer(request).then((body) => {
      const { method = '', headers } = request;
      requests.push(`${method} ${headers['content-range'] ?? ''}`.trim());
      const location = '/v2/wine/blobs/uploads/1';
      const range = () => ({ location, range: `0-${Math.max(0, held.length - 1)}` });
      if (method === 'POST') {
        held = Buffer.alloc(0);
        return void response.writeHead(202, { location }).end();
      }
      if (method === 'GET') return void response.writeHead(204, range()).end();
      const taken = plan.shift() ?? body.length;
      if (taken === 'lost') return void response.writeHead(404).end();
      if (taken === 'silent') return void request.socket.destroy();
      held = Buffer.concat([held, body.subarray(0, taken)]);
      if (taken < body.length) return void request.socket.destroy();
      response.writeHead(method === 'PUT' ? 201 : 202, range()).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const name = `127.0.0.1:${(server.address() as AddressInfo).port}/wine`;
  const session = createSession({ name, signal: new AbortController().signal, reason: 'PushFailed', pausesMs: [1, 1] });
  const upload = () =>
    uploadBlob(
      session,
      {
        digest: digestOfBytes(CONTENT),
        size: CONTENT.length,
        open: (start) => Readable.from([CONTENT.subarray(start)]),
      },
      async () => false,
    );
  return { upload, requests, held: () => held.toString() };
}

test('a blob goes as one stream, then the upload ends', async () => {
  const { upload, requests, held } = await listen([]);
  await upload();
  expect(requests).toEqual(['POST', 'PATCH', 'PUT']);
  expect(held()).toBe('0123456789');
});

test('after a failure only the bytes that did not arrive are sent again', async () => {
  const { upload, requests, held } = await listen([7, 1]);
  await upload();
  expect(requests).toEqual(['POST', 'PATCH', 'GET', 'PATCH 7-9', 'GET', 'PATCH 8-9', 'PUT']);
  expect(held()).toBe('0123456789');
});

test('an end whose answer is lost is asked for again', async () => {
  const { upload, requests, held } = await listen([10, 'silent']);
  await upload();
  expect(requests).toEqual(['POST', 'PATCH', 'PUT', 'PUT']);
  expect(held()).toBe('0123456789');
});

test('an upload that the registry forgot starts over', async () => {
  const { upload, requests, held } = await listen(['lost']);
  await upload();
  expect(requests).toEqual(['POST', 'PATCH', 'POST', 'PATCH', 'PUT']);
  expect(held()).toBe('0123456789');
});

test('an upload that the registry forgets again and again is waited for', async () => {
  const { upload } = await listen(['lost', 'lost', 'lost']);
  await expect(upload()).rejects.toMatchObject({ code: 'unavailable', detail: { reason: 'PushFailed' } });
});
