import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { createUploader } from '../../../gateway/uploader.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { createRecordObjects } from '../../../lifecycle/stores/record-objects.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { newConnection } from '../../activities/shared/resources.js';
import { startEdge, startModel, wine } from '../../gateway/edge.js';
import { silent } from '../../gateway/silent.js';
import { linesOf } from '../../gateway/stored-records.js';

function startStore() {
  let nowMs = 0;
  const connections = new Map<string, Connection>();
  const buckets = new Map([
    ['gs://first', createMemoryObjects()],
    ['gs://second', createMemoryObjects()],
  ]);
  const use = (uri: string): void => void connections.set('records', newConnection('records', { type: 'gcs', uri }));
  const objects = createRecordObjects({
    id: 'records',
    connections: { get: async (id) => connections.get(id) },
    open: ({ spec }) => buckets.get(spec.uri) ?? createMemoryObjects(),
    now: () => nowMs,
  });
  return { objects, buckets, use, pass: (ms: number) => void (nowMs += ms) };
}

test('records wait for the connection, and go to its bucket once it is there', async () => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url])]);
  await edge.invoke('{}', { 'request-id': 'r1' });
  const { objects, buckets, use } = startStore();
  const uploader = createUploader({ spoolDir: edge.spoolDir, objects, log: silent });
  await expect(uploader.runOnce({ all: true })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'SLIPWAY_RECORD_CONNECTION names the connection "records", which does not exist: create it',
  });
  use('gs://first');
  await uploader.runOnce({ all: true });
  const [first] = [...buckets.values()];
  expect(first && (await linesOf(first, 'request_response/'))).toMatchObject([{ request_id: 'r1' }]);
  await edge.stop();
  await model.stop();
});

test('every operation goes to the connection, and a change of it counts after a minute', async () => {
  const { objects, use, pass } = startStore();
  use('gs://first');
  await objects.put('a', 'text');
  expect([(await objects.read('a')).toString(), (await objects.head('a'))?.sizeBytes]).toEqual(['text', 4]);
  const chunks: Buffer[] = [];
  for await (const chunk of await objects.open('a')) chunks.push(Buffer.from(chunk));
  expect(Buffer.concat(chunks).toString()).toBe('text');
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of objects.list('')) found.push(key);
    return found;
  };
  expect(await keys()).toEqual(['a']);
  use('gs://second');
  pass(59_000);
  expect(await keys()).toEqual(['a']);
  pass(1_000);
  expect(await keys()).toEqual([]);
  await objects.put('b', 'text');
  await objects.remove('b');
  expect(await keys()).toEqual([]);
});
