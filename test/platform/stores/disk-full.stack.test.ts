import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { startTestReference, type TestReference } from '../../api/reference/test-reference.js';
import { until } from '../../e2e/until.js';
import { type OwnStack, startOwnStack } from '../../stack/own-stack.js';

let stack: OwnStack;
let api: TestReference;
beforeAll(async () => {
  stack = await startOwnStack({ only: ['mongodb', 'storage'], diskMib: 16 });
  const objects = createGcsObjects({ bucket: 'slipway', apiEndpoint: stack.settings.STORAGE_API_ENDPOINT ?? '' });
  const database = await connectDatabase(stack.settings.MONGODB_URI ?? '', 'full');
  api = await startTestReference({ database, objects });
  const spec = { fields: { note: { type: 'text', max_length: 10_000 } }, allow_blind_put: true };
  await api.call('PUT', '/v2/datasets/words', { body: { kind: 'Dataset', id: 'words', spec } });
  expect((await api.call('PUT', '/v2/words/1', { body: { note: 'before' } })).status).toBe(201);
});
afterAll(async () => {
  await api.stop();
  await stack.stop();
});

const put = (id: number) =>
  api.call('PUT', `/v2/words/${id}`, { body: { note: randomBytes(7_000).toString('base64') } });
const NDJSON = { 'content-type': 'application/x-ndjson' };
const ROWS = `${JSON.stringify({ id: '9', note: 'x'.repeat(9_000) })}\n`.repeat(100);

/** Takes what is left of the disk. @returns how to free it */
async function fillDisk(): Promise<() => Promise<void>> {
  const path = join(stack.stateDir, 'filler');
  const file = await open(path, 'w');
  const chunk = Buffer.alloc(4_096, 1);
  try {
    for (;;) await file.write(chunk);
  } catch {
    await file.close();
  }
  return () => rm(path);
}

test('while the disk is full, writes of rows and uploads get 507 and reads go on; with space all of it works again', async () => {
  const { body: begun } = await api.call('POST', '/v2/words/imports?format=ndjson');
  const append = () =>
    api.call('PATCH', `/v2/words/imports/${begun.id}`, { raw: ROWS, headers: { ...NDJSON, 'upload-offset': '0' } });
  const free = await fillDisk();
  const refused = await until('a refused write', async () => {
    const reply = await put(2);
    return reply.status >= 400 && reply;
  });
  expect([refused.status, refused.body.code]).toEqual([507, 'store.full']);
  expect(refused.body.detail).toContain('the database');
  const part = await append();
  expect([part.status, part.body.code]).toEqual([507, 'store.full']);
  expect(part.body.detail).toContain('object storage');
  expect((await api.call('GET', '/v2/words/1')).body.note).toBe('before');
  expect((await api.call('GET', '/v2/words')).body.items).not.toEqual([]);
  await free();
  await until('a write', async () => (await put(3)).status < 300);
  expect((await put(2)).status).toBeLessThan(300);
  expect((await append()).body.offset).toBe(ROWS.length);
});
