import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { MLPROJECT, trainingSpec } from './projects.js';
import { untilState } from './run-state.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_NODE_POOLS: '[{"pool": "small"}]' });
}, 600_000);
afterAll(() => platform.stop());

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

test('source and data from object storage, an output path, a node pool and an environment of its own', async () => {
  const { admin, objects, environment } = platform;
  const bucket = environment.SLIPWAY_BUCKET ?? '';
  await objects.put('code/MLproject', MLPROJECT);
  await objects.put('code/train.py', PROGRAM);
  await objects.put('data/table.csv', 'x,y\n1,3\n2,5\n3,7\n');
  await objects.put('other/settings/settings.json', '{"kind": "other"}');
  const connections = { code: 'code', data: 'data/table.csv', output: 'models/out' };
  for (const [id, path] of Object.entries(connections)) {
    await admin.create('/connection', id, { type: 'object-store', uri: `gs://${bucket}/${path}` });
  }
  const id = platform.newId('source');
  await admin.create('/model/training', id, {
    ...trainingSpec('', { name: id }),
    algorithmSource: { objectStorage: { connection: 'code' } },
    data: [
      { connection: 'data', localPath: 'inputs/table.csv' },
      { connection: 'data', localPath: 'conf', remotePath: 'other/settings' },
    ],
    envs: [{ name: 'FLAVOR', value: 'vanilla' }],
    outputConnection: 'output',
    nodeSelector: { pool: 'small' },
  });
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect(status).toMatchObject({ state: 'succeeded', metrics: { rows: 3 }, artifacts: [{ commitID: '' }] });
  expect(await objects.head(`models/out/${status.artifactName}`)).toBeDefined();
  const log = await admin.text(`/api/v1/model/training/${id}/log`);
  expect(log).toContain("settings {'kind': 'other'} vanilla");
}, 600_000);

test('a pool that is not there, two sources and none are refused before anything runs', async () => {
  const { admin } = platform;
  const create = (change: object) =>
    admin.create('/model/training', platform.newId('refused'), { ...trainingSpec('code'), ...change });
  await expect(create({ nodeSelector: { pool: 'large' } })).rejects.toThrow(
    'node selector map[pool:large] is not presented in ODAHU config',
  );
  const both = { vcs: { connection: 'a' }, objectStorage: { connection: 'b' } };
  await expect(create({ algorithmSource: both })).rejects.toThrow(
    'both VCS and ObjectStorage names are specified, must be only one',
  );
  await expect(create({ algorithmSource: {} })).rejects.toThrow('both VCS and ObjectStorage names are empty');
});
