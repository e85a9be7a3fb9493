import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENT } from '../patient-server.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject } from './projects.js';
import { until } from './until.js';
import { deliveryOf } from './webhook-body.js';

let platform: TestPlatform;
let code: string;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
  code = await createProject(platform, MODEL);
}, 600_000);
afterAll(() => platform.stop());

/** Logs its parameter as the metric "answer". */
const MODEL = `
import sys, mlflow, pandas
from sklearn.linear_model import LinearRegression
x = pandas.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
with mlflow.start_run():
    mlflow.log_metric("answer", float(sys.argv[1]))
    fitted = LinearRegression().fit(x, 2 * x["x"] + 1)
    mlflow.sklearn.log_model(fitted, name="model", input_example=x.head(2), pip_requirements=["scikit-learn"])
`;

const PATH = '/api/v1/model/pipeline';

interface Run {
  id: string;
  spec: { number: number; trigger: { type: string; by?: string } };
  status: {
    state: string;
    reason?: string;
    message?: string;
    commit?: string;
    image?: string;
    imageDigest?: string;
    steps: { name: string; state: string; child?: string; reusedFrom?: string; reuseMiss?: string }[];
    gates: { gate: string; passed: boolean; message: string }[];
    approval?: object;
    deployed?: { generation: number };
  };
}

/** The pipeline of the first test; later ones reuse what it trained and packaged. */
let first: string;

/** A pipeline from training to a deployment of its own name. */
async function createPipeline(more: object = {}, model?: string): Promise<string> {
  const id = platform.newId('pipe');
  const spec = {
    parameters: { answer: '5' },
    version: '1.{{ run }}',
    training: {
      model: { name: model ?? id, version: '{{ version }}' },
      toolchain: 'ml-toolchain',
      algorithmSource: { vcs: { connection: code } },
      hyperParameters: { pause: '{{ parameters.answer }}' },
    },
    packaging: {
      integrationName: 'container-rest',
      targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
    },
    deployment: { id, spec: { predictor: 'platform-ml-server', minReplicas: 1 } },
    gates: { metrics: [{ metric: 'answer', max: 10 }] },
    ...more,
  };
  await platform.admin.create('/model/pipeline', id, spec);
  return id;
}

const start = async (id: string, body: object = {}): Promise<Run> =>
  (await platform.admin.call<Run>('POST', `${PATH}/${id}/run`, body)).body;

const read = async (id: string, number: number): Promise<Run> =>
  (await platform.admin.call<Run>('GET', `${PATH}/${id}/run/${number}`)).body;

const untilOver = (id: string, number: number): Promise<Run> =>
  until(
    `run ${number} of ${id} to end`,
    async () => {
      const run = await read(id, number);
      return ['succeeded', 'failed'].includes(run.status.state) && run;
    },
    { seconds: 240 },
  );

const imageOf = async (id: string): Promise<string> =>
  (await platform.admin.call<{ spec: { image: string } }>('GET', `/api/v1/model/deployment/${id}`)).body.spec.image;

test('a run takes a commit to traffic; the next one reuses what is unchanged, and a worse model stays out', async () => {
  const id = await createPipeline();
  first = id;
  await start(id);
  const whole = await untilOver(id, 1);
  expect(whole.status).toMatchObject({ state: 'succeeded', commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect(whole.status.steps.map(({ name, state }) => [name, state])).toEqual(
    ['resolve', 'training', 'metrics', 'packaging', 'deployment'].map((name) => [name, 'succeeded']),
  );
  expect(whole.status.steps[1]).toMatchObject({
    child: `training/${id}-1`,
    reuseMiss: 'nothing was made of these inputs before',
  });
  expect(whole.status.gates).toEqual([{ gate: 'metrics', passed: true, message: 'answer is 5, not above 10' }]);
  const sample = { columns: ['x'], data: [[10]] };
  const { headers } = await platform.admin.call('POST', `/model/${id}/api/model/invoke`, sample);
  expect(headers.get('model-version')).toBe('1.1');

  await start(id);
  const second = await untilOver(id, 2);
  expect(second.status.state).toBe('succeeded');
  expect(second.status.steps[1]).toMatchObject({ state: 'succeeded', reusedFrom: `training/${id}-1` });
  expect(second.status.steps[3]).toMatchObject({ state: 'succeeded', reusedFrom: `packaging/${id}-1` });
  expect(second.status.image).toBe(whole.status.image);
  expect(second.status.deployed?.generation).toBe(1);

  await start(id, { parameters: { answer: '50' } });
  const third = await untilOver(id, 3);
  expect(third.status).toMatchObject({ state: 'failed', reason: 'GateFailed', message: 'answer is 50, above 10' });
  expect(third.status.steps[1]?.reuseMiss).toBe(`changed since ${id}-2: hyperParameters.pause`);
  expect(await imageOf(id)).toBe(`${whole.status.image}@${whole.status.imageDigest}`);

  // A spec with another limit goes on behind the training.
  const { body: pipeline } = await platform.admin.call<{ spec: { gates: object } }>('GET', `${PATH}/${id}`);
  const spec = { ...pipeline.spec, gates: { metrics: [{ metric: 'answer', max: 60 }] } };
  await platform.admin.call('POST', `${PATH}/${id}/run/3/retry`, { spec });
  const retried = await untilOver(id, 3);
  expect(retried.status.state).toBe('succeeded');
  expect(await imageOf(id)).toBe(`${retried.status.image}@${retried.status.imageDigest}`);
  const training = await platform.admin.call<{ generation: number }>('GET', `/api/v1/model/training/${id}-3`);
  expect(training.body.generation).toBe(1);
}, 600_000);

test('a run waits for the person who may approve it', async () => {
  const approval = { required: true, roles: ['admin'], allowAuthor: true };
  const id = await createPipeline({ gates: { approval } }, first);
  await start(id);
  const waiting = () => read(id, 1).then((run) => run.status.steps.find(({ state }) => state === 'waiting'));
  expect(await until('the run to wait', waiting, { seconds: 240 })).toMatchObject({ name: 'approval' });
  const scientist = await platform.login('scientist');
  const word = { reason: 'looks good' };
  await expect(scientist.call('POST', `${PATH}/${id}/run/1/approve`, word)).rejects.toThrow(
    /decided by the roles admin/,
  );
  await expect(platform.admin.call('POST', `${PATH}/${id}/run/1/approve`, {})).rejects.toThrow(/reason must be a text/);
  await platform.admin.call('POST', `${PATH}/${id}/run/1/approve`, word);
  await expect(platform.admin.call('POST', `${PATH}/${id}/run/1/reject`, word)).rejects.toThrow(
    /approved by .* already/,
  );
  const run = await untilOver(id, 1);
  expect(run.status).toMatchObject({ state: 'succeeded', approval: { decision: 'approved', reason: 'looks good' } });
}, 600_000);

test('a schedule starts runs, and never a second one beside the first', async () => {
  const id = await createPipeline({
    packaging: {},
    deployment: {},
    gates: {},
    triggers: { schedule: { cron: '0 0 1 1 *', timeZone: 'Europe/Paris' } },
  });
  const { body } = await platform.admin.call<{ next: string[] }>('GET', `${PATH}/${id}/schedule`);
  expect(body.next[0]).toMatch(/-12-31T23:00:00/);
  await platform.admin.call('POST', `${PATH}/${id}/schedule/trigger`);
  await until('the scheduled run', () => read(id, 1).catch(() => undefined));
  await platform.admin.call('POST', `${PATH}/${id}/schedule/trigger`);
  await expect(start(id)).rejects.toThrow(/has not finished yet/);
  const run = await untilOver(id, 1);
  expect(run).toMatchObject({ spec: { trigger: { type: 'schedule' } }, status: { state: 'succeeded' } });
  const skipped = () =>
    platform.admin.call<{ skipped: number }>('GET', `${PATH}/${id}/schedule`).then((reply) => reply.body.skipped === 1);
  await until('the skip to be counted', skipped);
  await expect(read(id, 2)).rejects.toThrow(/has no run 2/);
}, 600_000);

test('the image answers samples that no training saw, and the address of the pipeline receives the events', async () => {
  const deliveries: { id: unknown; type: string; message?: string }[] = [];
  const received = (wanted: string) => deliveries.filter(({ type }) => type === wanted);
  const server = createServer(PATIENT, (req, res) => {
    void text(req).then((body) => {
      const delivery = deliveryOf(body);
      if (delivery !== undefined) deliveries.push({ id: req.headers['webhook-id'], ...delivery });
      // The first attempt fails.
      const fails = delivery?.type === 'pipeline.run.succeeded' && received(delivery.type).length === 1;
      res.writeHead(fails ? 500 : 200).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const path = `held-out/${platform.newId('samples')}.json`;
    const store = (expected: number[]) =>
      platform.objects.put(path, JSON.stringify({ columns: ['x'], data: [[10], [20]], expected }));
    await store([21, 41]);
    const id = await createPipeline(
      {
        deployment: {},
        gates: { heldOut: { connection: 'models-output', path, metric: 'meanAbsoluteError', max: 0.1 } },
        notify: [{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }],
      },
      first,
    );
    await start(id);
    const passed = await untilOver(id, 1);
    expect(passed.status).toMatchObject({ state: 'succeeded', gates: [{ gate: 'heldOut', passed: true }] });

    await store([21, 51]);
    await start(id);
    const second = await untilOver(id, 2);
    const message = 'meanAbsoluteError is 5, above 0.1, on 2 held-out rows';
    expect(second.status).toMatchObject({ state: 'failed', reason: 'GateFailed', message });
    expect(second.status.steps.find(({ name }) => name === 'packaging')).toMatchObject({
      reusedFrom: `packaging/${first}-1`,
    });
    await until('both deliveries', () => Promise.resolve(deliveries.length === 3), { seconds: 120 });
    // A repeated delivery keeps its id; that of the next run does not wait for it.
    expect(received('pipeline.run.succeeded')).toHaveLength(2);
    expect(new Set(received('pipeline.run.succeeded').map(({ id }) => id)).size).toBe(1);
    expect(received('pipeline.run.failed').map(({ message }) => message)).toEqual([message]);
  } finally {
    await new Promise((done) => server.close(done));
  }
}, 600_000);
