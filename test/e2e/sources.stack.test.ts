import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAzureObjects } from '../../platform/stores/azure-objects.js';
import { createS3Objects } from '../../platform/stores/s3-objects.js';
import { makeRepository, serveRepositories } from '../activities/training/repository.js';
import { ACCOUNT, signedAddress, startAzurite } from '../clouds/azurite.js';
import { KEYS, startMoto } from '../clouds/moto.js';
import type { CloudServer } from '../clouds/server.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { MLPROJECT, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
let amazon: CloudServer;
let azure: Awaited<ReturnType<typeof startAzurite>>;
beforeAll(async () => {
  [amazon, azure] = await Promise.all([startMoto(), startAzurite()]);
  platform = await startTestPlatform({
    SLIPWAY_NODE_POOLS: '[{"pool": "small"}]',
    SLIPWAY_S3_ENDPOINT: amazon.url,
  });
}, 600_000);
afterAll(async () => {
  await platform.stop();
  await Promise.all([amazon.stop(), azure.stop()]);
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Learns from the rows that the data bindings brought, and says what it was given. */
const PROGRAM = `
import json, os, mlflow, pandas
from sklearn.linear_model import LinearRegression
table = pandas.read_csv("inputs/table.csv")
print("settings", json.load(open("conf/settings.json")), os.environ["FLAVOR"])
with mlflow.start_run():
    mlflow.log_metric("rows", len(table))
    mlflow.sklearn.log_model(LinearRegression().fit(table[["x"]], table["y"]), name="model", input_example=table[["x"]])
`;

test('source, data and output in the stores of three clouds, a node pool and an environment of its own', async () => {
  const { admin, objects, environment } = platform;
  const bucket = environment.SLIPWAY_BUCKET ?? '';
  await objects.put('code/MLproject', MLPROJECT);
  await objects.put('code/train.py', PROGRAM);
  await objects.put('other/settings/settings.json', '{"kind": "other"}');
  const s3 = createS3Objects({ bucket: 'rows', endpoint: amazon.url, credentials: KEYS });
  await s3.ensureBucket();
  await s3.put('data/table.csv', 'x,y\n1,3\n2,5\n3,7\n');
  const keys = { keyID: base64(KEYS.accessKeyId), keySecret: base64(KEYS.secretAccessKey) };
  await admin.create('/connection', 'data', {
    type: 's3',
    uri: 's3://rows/data/table.csv',
    region: 'eu-west-1',
    ...keys,
  });
  const container = createAzureObjects({ container: 'models', endpoint: azure.endpoint, credentials: ACCOUNT });
  await container.ensureBucket();
  const output = { type: 'azureblob', uri: 'az://devstoreaccount1/models/out' };
  await admin.create('/connection', 'output', { ...output, keySecret: base64(signedAddress(azure.endpoint)) });
  const connections = { code: 'code', other: 'other' };
  for (const [id, path] of Object.entries(connections)) {
    await admin.create('/connection', id, { type: 'object-store', uri: `gs://${bucket}/${path}` });
  }
  const id = platform.newId('source');
  await admin.create('/model/training', id, {
    ...trainingSpec('', { name: id }),
    algorithmSource: { objectStorage: { connection: 'code' } },
    data: [
      { connection: 'data', localPath: 'inputs/table.csv' },
      { connection: 'other', localPath: 'conf', remotePath: 'settings' },
    ],
    envs: [{ name: 'FLAVOR', value: 'vanilla' }],
    outputConnection: 'output',
    nodeSelector: { pool: 'small' },
  });
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect(status).toMatchObject({ state: 'succeeded', metrics: { rows: 3 }, artifacts: [{ commitID: '' }] });
  expect(await container.head(`out/${status.artifactName}`)).toBeDefined();
  const log = await admin.text(`/api/v1/model/training/${id}/log`);
  expect(log).toContain("settings {'kind': 'other'} vanilla");
}, 600_000);

test('a pool that is not there, two sources and none are refused before anything runs', async () => {
  const { admin } = platform;
  const create = (change: object) =>
    admin.create('/model/training', platform.newId('refused'), { ...trainingSpec('code'), ...change });
  await expect(create({ nodeSelector: { pool: 'large' } })).rejects.toThrow(
    'node selector map[pool:large] equals no node pool: see SLIPWAY_NODE_POOLS',
  );
  const both = { vcs: { connection: 'a' }, objectStorage: { connection: 'b' } };
  await expect(create({ algorithmSource: both })).rejects.toThrow(
    'both VCS and ObjectStorage names are specified, must be only one',
  );
  await expect(create({ algorithmSource: {} })).rejects.toThrow('both VCS and ObjectStorage names are empty');
});

test('git servers that hang delay no other training; one that is away is waited for, and the status says so', async () => {
  const { admin } = platform;
  const root = join(platform.folder, 'git');
  await makeRepository(join(root, 'small'), { MLproject: MLPROJECT, 'train.py': SMALL_MODEL });
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const away = await serveRepositories(root, 'token');
  await away.close();
  await admin.create('/connection', 'hanging', {
    type: 'git',
    uri: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/a.git`,
  });
  const keySecret = Buffer.from('token').toString('base64');
  await admin.create('/connection', 'away', { type: 'git', uri: `${away.url}/small/.git`, keySecret });
  const train = async (connection: string) => {
    const id = platform.newId(connection);
    await admin.create('/model/training', id, trainingSpec(connection, { name: id }));
    return id;
  };
  // As many as a worker has slots for builds.
  const hanging = [await train('hanging'), await train('hanging')];
  const id = await train('away');
  const waiting = await until('the sentence', async () => {
    const { status } = await read(platform, '/model/training', id);
    return status.message?.startsWith('waiting: the git server cannot be used for now: it cannot be reached') && status;
  });
  expect(waiting.state).toBe('scheduling');
  const back = await serveRepositories(root, 'token', away.port);
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect([status.state, status.message]).toEqual(['succeeded', undefined]);
  for (const each of hanging) {
    expect((await read(platform, '/model/training', each)).status.state).toBe('scheduling');
    await admin.call('DELETE', `/api/v1/model/training/${each}`);
  }
  silent.closeAllConnections();
  silent.close();
  await back.close();
}, 600_000);
