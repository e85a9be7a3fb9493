import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import type { ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import { createS3Objects } from '../../../platform/stores/s3-objects.js';
import { openConnectionTest } from '../../../workers/compose/connection-test.js';
import { makeRepository, serveRepositories } from '../../activities/training/repository.js';
import { newConnection } from '../../activities/shared/resources.js';
import { KEYS, startMoto } from '../../clouds/moto.js';
import { type RegistryProcess, startRegistry } from '../../platform/registry/registry-process.js';
import { startTokenRealm, USER } from '../../platform/registry/token-realm.js';

const TOKEN = 'token-of-the-tests';
const base64 = (text: string) => Buffer.from(text).toString('base64');

let amazon: Awaited<ReturnType<typeof startMoto>>;
let registry: RegistryProcess;
let realm: Awaited<ReturnType<typeof startTokenRealm>>;
let git: Awaited<ReturnType<typeof serveRepositories>>;
let folder: string;
const google = createGcsObjects({ bucket: 'connection-test', apiEndpoint: process.env.STORAGE_API_ENDPOINT });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-connections-'));
  [amazon, registry, git] = await Promise.all([
    startMoto(),
    startRegistry(async (place) => (realm = await startTokenRealm(place)).settings),
    serveRepositories(folder, TOKEN),
    makeRepository(join(folder, 'wine')),
    google.ensureBucket(),
  ]);
  await createS3Objects({ bucket: 'rows', endpoint: amazon.url, credentials: KEYS }).ensureBucket();
});
afterAll(async () => {
  await Promise.all([amazon.stop(), registry.stop(), git.close()]);
  realm.stop();
  await rm(folder, { recursive: true });
});

/** The test of a connection with the settings of the stack. @returns its steps, the last one with its reason */
async function run(spec: Partial<ConnectionSpec> & { uri: string }): Promise<string[]> {
  const settings = parseSettings({
    STORAGE_API_ENDPOINT: process.env.STORAGE_API_ENDPOINT,
    SLIPWAY_BUCKET: 'connection-test',
    SLIPWAY_S3_ENDPOINT: amazon.url,
  });
  const testConnection = openConnectionTest(settings, { open: (sealed) => sealed });
  const { checks } = await testConnection(newConnection('it', spec), { write: true });
  return checks.map(({ step, reason }) => (reason === undefined ? step : `${step}: ${reason}`));
}

const S3 = {
  type: 's3',
  region: 'us-east-1',
  keyID: base64(KEYS.accessKeyId),
  keySecret: base64(KEYS.secretAccessKey),
};
const ALL = ['reach', 'login', 'read', 'write'];

test('connections that work pass each step, and a bucket is left as it was', async () => {
  expect(await run({ type: 'gcs', uri: 'gs://connection-test/data' })).toEqual(ALL);
  expect(await run({ ...S3, uri: 's3://rows/data' })).toEqual(ALL);
  for await (const { key } of google.list('')) expect.fail(`${key} is left`);
  const login = { username: USER.username, password: base64(USER.password) };
  expect(await run({ type: 'container-registry', uri: `${registry.host}/team`, ...login })).toEqual(ALL);
  const repository = { type: 'git', uri: `${git.url}/wine/.git`, keySecret: base64(TOKEN) };
  expect(await run(repository)).toEqual(['reach', 'login', 'read']);
});

test('each server says at which step a connection fails, and why', async () => {
  expect(await run({ type: 'gcs', uri: 'gs://no-such-bucket' })).toEqual([
    ...['reach', 'login', 'read: bucket "no-such-bucket" is not found'],
  ]);
  expect(await run({ ...S3, uri: 's3://no-such-rows' })).toEqual([
    ...['reach', 'login', expect.stringMatching(/^read: bucket "no-such-rows" is not found/)],
  ]);
  const wrong = {
    type: 'container-registry',
    uri: `${registry.host}/team`,
    username: 'anna',
    password: base64('wrong'),
  };
  expect(await run(wrong)).toEqual(['reach', expect.stringMatching(/^login: .*answers 401.*check the credentials/)]);
  expect(await run({ type: 'container-registry', uri: `${registry.host}/team` })).toEqual([
    ...['reach', 'login', 'read', expect.stringMatching(/^write: .*answers 401/)],
  ]);
  expect(await run({ type: 'container-registry', uri: '127.0.0.1:1/team' })).toEqual([
    'reach: the image registry cannot be used for now: it cannot be reached: ECONNREFUSED',
  ]);
  const repository = { type: 'git', uri: `${git.url}/wine/.git`, keySecret: base64('wrong') };
  expect(await run(repository)).toEqual([
    'reach',
    expect.stringMatching(/^login: .*(Authentication failed|could not read Username)/),
  ]);
  expect(await run({ type: 'cloud-registry', uri: 'europe-docker.pkg.dev/acme' })).toEqual([
    ...['reach', expect.stringMatching(/^login: connection "it" has no credentials .*SLIPWAY_AMBIENT_REGISTRIES/)],
  ]);
});
