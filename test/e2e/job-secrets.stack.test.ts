import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, trainingSpec } from './projects.js';
import { untilLog, untilState } from './run-state.js';
import { storedHistories } from './stored-histories.js';

const VALUE = 'hub-5f2c7e-s3cret';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 600_000);
afterAll(() => platform.stop());

/** Prints the secret, waits, and learns; fails when the value, its file or the mode of the file is another. */
const PROGRAM = `
import hashlib, os, stat, sys, time
value, path = os.environ["TOKEN"], os.environ["TOKEN_FILE"]
assert open(path).read() == value
facts = os.stat(path)
assert stat.S_IMODE(facts.st_mode) == 0o400 and facts.st_uid == os.getuid() == 10001, facts
print("printed", value, flush=True)
print("digest", hashlib.sha256(value.encode()).hexdigest(), flush=True)
time.sleep(float(sys.argv[1]))
import mlflow, pandas
from sklearn.linear_model import LinearRegression
x = pandas.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
with mlflow.start_run():
    fitted = LinearRegression().fit(x, 2 * x["x"] + 1)
    mlflow.sklearn.log_model(fitted, name="model", input_example=x.head(2), pip_requirements=["scikit-learn"])
`;

test('a program reads a secret of a connection that nothing else shows: container, history, log, database, bucket', async () => {
  const { admin, environment, objects } = platform;
  const code = await createProject(platform, PROGRAM);
  const hub = {
    type: 'docker',
    uri: 'hub.example.org/a',
    username: 'u',
    password: Buffer.from(VALUE).toString('base64'),
  };
  await admin.create('/connection', 'hub', hub);
  const id = platform.newId('secret');
  const envs = [{ name: 'TOKEN', valueFrom: { connection: 'hub', field: 'password' } }];
  const scientist = await platform.login('scientist');
  const create = () =>
    scientist.create('/model/training', id, { ...trainingSpec(code, { name: id, pause: 15 }), envs });
  await expect(create()).rejects.toThrow('are not for trainings');
  const allowed = { kind: 'Connection', id: 'hub', spec: { ...hub, password: '*****', usableIn: ['training'] } };
  await expect(scientist.call('PUT', '/api/v1/connection', allowed)).rejects.toThrow('403');
  await admin.call('PUT', '/api/v1/connection', allowed);
  await create();

  const running = await untilLog(platform, '/model/training', id, 'digest');
  expect(running).toContain('printed *****');
  expect(running).toContain(`digest ${createHash('sha256').update(VALUE).digest('hex')}`);
  const found = await platform.engine.find({ kind: 'training', id });
  const container = found.find(({ labels }) => labels.part === undefined);
  const docker = connectDocker(environment.DOCKER_HOST ?? '', environment.DOCKER_CERT_PATH);
  const inspected = JSON.stringify(await docker.getContainer(container?.name ?? '').inspect());
  expect(inspected).toContain('MODEL_NAME');
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect(status).toMatchObject({ state: 'succeeded' });

  const histories = await storedHistories(platform);
  expect(histories).toContain(`training/${id}`);
  const shown = [
    inspected,
    await admin.text(`/api/v1/model/training/${id}/log`),
    JSON.stringify(await admin.call('GET', `/api/v1/model/training/${id}`)),
    histories,
    await rowsOf(environment),
  ];
  for await (const { key } of objects.list('')) shown.push(textOf(await buffer(await objects.open(key))));
  expect(shown.length).toBeGreaterThan(8);
  const encoded = Buffer.from(VALUE).toString('base64');
  for (const text of shown) for (const form of [VALUE, encoded]) expect(text.includes(form)).toBe(false);
}, 600_000);

/** The bytes of an object, of an archive those of its files. */
const textOf = (bytes: Buffer): string =>
  (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('latin1');

async function rowsOf({ MONGODB_URI: uri = '', SLIPWAY_DATABASE: name = '' }: NodeJS.ProcessEnv) {
  const database = await connectDatabase(uri, name);
  const texts: string[] = [];
  for (const table of [
    'Connection',
    'ConnectionLog',
    'ModelTraining',
    'ModelTrainingLog',
    'Audit',
    'Lineage',
    'events',
  ]) {
    for await (const row of database.table(table).scan()) texts.push(JSON.stringify(row));
  }
  await database.close();
  expect(texts.length).toBeGreaterThan(5);
  return texts.join('\n');
}
