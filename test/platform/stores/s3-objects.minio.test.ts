import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createS3Objects } from '../../../platform/stores/s3-objects.js';
import { startMinio } from '../../clouds/minio.js';
import { KEYS } from '../../clouds/moto.js';
import { s3Contract } from './s3.contract.js';

s3Contract(() => startMinio());

test('wrong keys are denied; a server that ends is unavailable, in the middle of an upload too', async () => {
  const server = await startMinio();
  const bucket = `faults-${randomUUID()}`;
  const objects = createS3Objects({ bucket, endpoint: server.url, credentials: KEYS });
  await objects.ensureBucket();
  const credentials = { ...KEYS, secretAccessKey: 'another' };
  const stranger = createS3Objects({ bucket, endpoint: server.url, credentials });
  await expect(stranger.put('key', 'text')).rejects.toMatchObject({ code: 'storage_denied', retryable: true });
  async function* body() {
    yield Buffer.alloc(20_000_000);
    await server.stop();
    yield Buffer.alloc(20_000_000);
  }
  const { Readable } = await import('node:stream');
  await expect(objects.put('key', Readable.from(body()))).rejects.toMatchObject({
    code: 'unavailable',
    retryable: true,
  });
});
