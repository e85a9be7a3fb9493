import { expect, test } from 'vitest';
import { below, createObjectStoreFor } from '../../../lifecycle/stores/connection-objects.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

const openSecret = (sealed: string) => sealed.replace('sealed:', '');

test('another provider is refused in words', () => {
  for (const spec of [
    { type: 's3', uri: 's3://bucket/path' },
    { type: 'object-store', uri: 'az://account/container' },
    { type: 'object-store', uri: 'ftp://host/path' },
  ]) {
    expect(() => createObjectStoreFor({ id: 'a', spec }, { openSecret })).toThrow(
      /can not be read yet: use a gs:\/\/ uri/,
    );
  }
});

test('a key that is no JSON is refused and not shown', () => {
  const spec = { type: 'gcs', uri: 'gs://bucket', keySecret: 'sealed:hunter2' };
  expect(() => createObjectStoreFor({ id: 'a', spec }, { openSecret })).toThrow(
    'keySecret is not a JSON key of a service account',
  );
});

test.each([
  { type: 'external_account', credential_source: { file: '/etc/passwd' }, token_url: 'http://127.0.0.1/' },
  { type: 'external_account', credential_source: { executable: { command: '/bin/true' } } },
  { type: 'impersonated_service_account', service_account_impersonation_url: 'http://169.254.169.254/' },
  { client_email: ['a'], private_key: {} },
  null,
])('a key that makes the worker read files or call addresses of the key is refused: %j', (key) => {
  const spec = { type: 'gcs', uri: 'gs://bucket', keySecret: `sealed:${JSON.stringify(key)}` };
  expect(() => createObjectStoreFor({ id: 'data', spec }, { openSecret })).toThrow(
    'it needs client_email and private_key',
  );
});

test.each(['%73lipway', '..', 'a?b', 'a#b', 'a@b', 'UPPER', 'x'.repeat(223)])('no bucket is called %s', (bucket) => {
  const spec = { type: 'object-store', uri: `gs://${bucket}/logs` };
  expect(() => createObjectStoreFor({ id: 'data', spec }, { openSecret })).toThrow(
    `"${bucket}" is no name of a bucket`,
  );
});

test('keys are relative to the path', async () => {
  const objects = createMemoryObjects();
  const store = below(objects, 'data/wine');
  await store.put('a/red.csv', 'red');
  await objects.put('data/wine-old/b.csv', 'old');
  expect((await objects.read('data/wine/a/red.csv')).toString()).toBe('red');
  const keys = [];
  for await (const { key } of store.list('')) keys.push(key);
  expect(keys).toEqual(['a/red.csv']);
  expect(await store.head('a/red.csv')).toMatchObject({ key: 'a/red.csv', sizeBytes: 3 });
  await store.remove('a/red.csv');
  expect(await store.head('a/red.csv')).toBeUndefined();
});

test('a path that names one object holds this object', async () => {
  const objects = createMemoryObjects();
  await objects.put('data/wine.csv', 'red');
  const store = below(objects, 'data/wine.csv');
  const keys = [];
  for await (const { key } of store.list('')) keys.push(key);
  expect(keys).toEqual(['wine.csv']);
  expect((await store.read('wine.csv')).toString()).toBe('red');
});
