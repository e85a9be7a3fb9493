import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openArtifact } from '../../activities/training/artifact.js';
import { withScratchFolder } from '../../activities/training/workspace.js';
import { failureIn } from '../../platform/kinds/reasons.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { startTestApi } from '../api/test-api.js';
import { ALL_SCOPES, startTestReference } from '../api/reference/test-reference.js';
import { startEdge } from '../gateway/edge.js';
import { ARTIFACTS } from './hostile/artifacts.js';
import { REFERENCE } from './hostile/reference.js';
import { type Answer, createSender, type HostileRequest } from './hostile/request.js';
import { RESOURCES } from './hostile/resources.js';
import { sendBytes, WIRE_REQUESTS } from './hostile/wire-requests.js';

/** @returns the rows that were not refused as their table says */
async function escapes(rows: readonly HostileRequest[], url: string, token: string): Promise<string[]> {
  const sender = createSender(url, `Bearer ${token}`);
  const found: string[] = [];
  for (const row of rows) {
    const { status, text } = await sender.send(row).catch((err: unknown): Answer => ({ status: 0, text: String(err) }));
    if (status !== row.status || !text.includes(row.says)) found.push(`${row.name}: ${status} ${text.slice(0, 300)}`);
  }
  await sender.close();
  return found;
}
const isReference = ({ path }: HostileRequest): boolean => path.startsWith('/v2');

test('every hostile request to the management API is refused in its words, and stores nothing', async () => {
  const api = await startTestApi();
  const connections = {
    code: { type: 'git', uri: 'https://example.org/code.git' },
    rows: { type: 'object-store', uri: 'gs://slipway/rows' },
  };
  for (const [id, spec] of Object.entries(connections)) {
    expect((await api.call('POST', '/api/v1/connection', { body: { id, spec } })).status).toBe(201);
  }
  const rows = [...RESOURCES, ...REFERENCE.filter((row) => !isReference(row))];
  expect(await escapes(rows, api.url, await api.token(['admin']))).toEqual([]);
  for (const kind of ['training', 'packaging', 'deployment', 'pipeline'])
    expect((await api.call('GET', `/api/v1/model/${kind}`)).body).toEqual([]);
  expect(api.signals).toEqual([]);
  await api.stop();
});

test('every hostile request to reference data is refused in its words, and stores nothing', async () => {
  const reference = await startTestReference();
  const fields = { name: { type: 'text', required: true }, level: { type: 'integer' } };
  await reference.call('PUT', '/v2/datasets/rows', { body: { kind: 'Dataset', id: 'rows', spec: { fields } } });
  // The resolver of this test knows public names only.
  const rows = REFERENCE.filter((row) => isReference(row) && row.name !== 'webhook of localhost');
  expect(await escapes(rows, reference.url, await reference.tokenOf(ALL_SCOPES))).toEqual([]);
  expect((await reference.call('GET', '/v2/subscriptions')).body.items).toEqual([]);
  await reference.stop();
});

test('bytes that two servers would read in two ways get one answer', async () => {
  const edge = await startEdge([], { apiUrl: 'http://127.0.0.1:9', isAllowedHost: (host) => host === '127.0.0.1' });
  const port = Number(new URL(edge.url).port);
  for (const { name, bytes, status } of WIRE_REQUESTS) {
    const got = await sendBytes(port, bytes);
    const isRefused = status === 'none' ? got === '' : got.startsWith(`HTTP/1.1 ${status} `);
    expect([name, isRefused, got.split('HTTP/1.1 ').length <= 2]).toEqual([name, true, true]);
  }
  await edge.stop();
});

test.each(ARTIFACTS.map((row) => [row.name, row] as const))('an artifact of %s is refused', async (_, row) => {
  const store = createMemoryObjects();
  await store.put('wine.zip', await row.bytes());
  const opening = withScratchFolder((scratch) => openArtifact(store, 'wine.zip', join(scratch, 'artifact')));
  const failure = failureIn(await opening.catch((err: unknown) => err));
  expect([failure?.reason, failure?.message]).toEqual([row.reason, expect.stringContaining(row.says)]);
});
