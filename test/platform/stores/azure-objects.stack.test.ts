import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAzureObjects } from '../../../platform/stores/azure-objects.js';
import { ACCOUNT, startAzurite } from '../../clouds/azurite.js';
import { objectsContract } from './objects.contract.js';

let server: Awaited<ReturnType<typeof startAzurite>>;
beforeAll(async () => {
  server = await startAzurite();
});
afterAll(() => server.stop());

const open = (container = `stores-${randomUUID()}`) =>
  createAzureObjects({ container, endpoint: server.endpoint, credentials: ACCOUNT });

describe('the contract', () => {
  objectsContract(async () => {
    const objects = open();
    await objects.ensureBucket();
    await objects.ensureBucket(); // and again: it exists
    return objects;
  });
});

test('a container that is missing is named', async () => {
  const objects = open('missing');
  const missing = { code: 'not_found', message: 'bucket "missing" is not found' };
  await expect(objects.put('key', 'text')).rejects.toMatchObject(missing);
  await expect(objects.put('key', Buffer.alloc(10_000_000))).rejects.toMatchObject(missing);
  await expect(objects.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject(missing);
});

test('a wrong key is denied', async () => {
  const credentials = { ...ACCOUNT, key: Buffer.alloc(64).toString('base64') };
  const objects = createAzureObjects({ container: 'any', endpoint: server.endpoint, credentials });
  await expect(objects.put('key', 'text')).rejects.toMatchObject({ code: 'storage_denied' });
});
