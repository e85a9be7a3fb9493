import { expect, test } from 'vitest';
import { below, createObjectStoreFor } from '../../../lifecycle/stores/connection-objects.js';
import { createPublicHttpAgents } from '../../../platform/outbound/public-http-agents.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

const openSecret = (sealed: string) => sealed.replace('sealed:', '');

const OPTIONS = {
  openSecret,
  endpoints: {},
  ambientBuckets: ['s3://open'],
  agents: createPublicHttpAgents({ policy: { networks: [] } }),
};
const open = (spec: Parameters<typeof createObjectStoreFor>[0]['spec']) =>
  createObjectStoreFor({ id: 'a', spec }, OPTIONS);

test.each([
  [{ type: 'object-store', uri: 'ftp://host/path' }, 'use a gs://, s3:// or az:// uri'],
  [{ type: 's3', uri: 's3://arn:aws:s3:us-east-1:1:accesspoint/a' }, '"arn:aws:s3:us-east-1:1:accesspoint" is no name'],
  [{ type: 's3', uri: 's3://bucket', region: 'evil.example/' }, 'its region is no region'],
  [{ type: 'object-store', uri: 'az://acc@host/container' }, 'is no name of an account'],
])('%j is refused in words', (spec, text) => expect(() => open(spec)).toThrow(text));

test.each([
  { type: 'object-store', uri: 's3://data' },
  { type: 's3', uri: 's3://data', keyID: 'sealed:ID' },
  { type: 's3', uri: 's3://data', keySecret: 'sealed:only a secret' },
  { type: 'gcs', uri: 'gs://open' },
  { type: 'object-store', uri: 'az://account/data' },
  { type: 'azureblob', uri: 'az://account/data', keySecret: 'sealed:https://account.blob.core.windows.net/?sv=1' },
  { type: 'azureblob', uri: 'az://account/data', keySecret: 'sealed:http://account.blob.core.windows.net/?sig=1' },
])('a connection without credentials that can be used never has those of the platform: %j', (spec) =>
  expect(() => open(spec)).toThrow('has no usable credentials'),
);

test.each([
  { type: 'object-store', uri: 's3://open' },
  { type: 'object-store', uri: 's3://data', keySecret: 'sealed:ID:SECRET' },
  { type: 's3', uri: 's3://data', keyID: 'sealed:ID', keySecret: 'sealed:SECRET', region: 'eu-west-1' },
  { type: 'azureblob', uri: 'az://account/data', keySecret: 'sealed:https://account.blob.core.windows.net/data?sig=1' },
])('%j can be opened', (spec) => expect(() => open(spec)).not.toThrow());

test('the address of a signature of Azure is checked before a byte is sent', async () => {
  const keySecret = 'sealed:http://127.0.0.1:9/account?sig=1';
  const objects = open({ type: 'azureblob', uri: 'az://account/data', keySecret });
  await expect(objects.head('key')).rejects.toMatchObject({ code: 'url.not_allowed' });
});

test('a key that is no JSON is refused and not shown', () => {
  const spec = { type: 'gcs', uri: 'gs://bucket', keySecret: 'sealed:hunter2' };
  expect(() => createObjectStoreFor({ id: 'a', spec }, OPTIONS)).toThrow(
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
  expect(() => createObjectStoreFor({ id: 'data', spec }, OPTIONS)).toThrow('it needs client_email and private_key');
});

test.each(['%73lipway', '..', 'a?b', 'a#b', 'a@b', 'UPPER', 'x'.repeat(223)])('no bucket is called %s', (bucket) => {
  const spec = { type: 'object-store', uri: `gs://${bucket}/logs` };
  expect(() => createObjectStoreFor({ id: 'data', spec }, OPTIONS)).toThrow(`"${bucket}" is no name of a bucket`);
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
