import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createS3Objects } from '../../../platform/stores/s3-objects.js';
import { KEYS } from '../../clouds/moto.js';
import type { CloudServer } from '../../clouds/server.js';
import { objectsContract } from './objects.contract.js';

/** The contract of every object store, and what a server of S3 says besides. */
export function s3Contract(start: () => Promise<CloudServer>): void {
  let server: CloudServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  const open = (bucket = `stores-${randomUUID()}`) =>
    createS3Objects({ bucket, endpoint: server.url, credentials: KEYS });

  describe('the contract', () => {
    objectsContract(async () => {
      const objects = open();
      await objects.ensureBucket();
      await objects.ensureBucket(); // and again: it exists
      return objects;
    });
  });

  test('a bucket that is missing is named', async () => {
    const objects = open('missing');
    const missing = { code: 'not_found', message: 'bucket "missing" is not found' };
    await expect(objects.put('key', 'text')).rejects.toMatchObject(missing);
    await expect(objects.put('key', Buffer.alloc(10_000_000))).rejects.toMatchObject(missing);
    await expect(objects.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject(missing);
  });
}
