import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import { objectsContract } from './objects.contract.js';
import { openTestBucket } from './test-bucket.js';

objectsContract(openTestBucket);

test('a bucket that is missing is named, whatever is asked of it', async () => {
  const bucket = `missing-${randomUUID()}`;
  const objects = createGcsObjects({ bucket, apiEndpoint: process.env.STORAGE_API_ENDPOINT });
  const missing = { code: 'not_found', message: `bucket "${bucket}" is not found` };
  await expect(objects.put('key', 'text')).rejects.toMatchObject(missing);
  await expect(objects.put('key', Buffer.alloc(10_000_000))).rejects.toMatchObject(missing);
  await expect(objects.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject(missing);
});
