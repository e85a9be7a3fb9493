import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { PAUSING_MODEL, pipelinesOf, PIPELINES, pipelineSpec, type RunView } from './pipeline-projects.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject } from './projects.js';
import { until } from './until.js';

let platform: TestPlatform;
let pipelines: ReturnType<typeof pipelinesOf>;
let code: string;
/** The pipeline whose model serves; the others reuse its training. */
let served: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  pipelines = pipelinesOf(platform);
  code = await createProject(platform, PAUSING_MODEL);
  served = platform.newId('served');
  await platform.admin.create('/model/pipeline', served, pipelineSpec(served, code, on({ feedback: { records: 3 } })));
  await pipelines.start(served);
  const first = await pipelines.untilOver(served, 1, 400);
  expect(first.status).toMatchObject({ state: 'succeeded' });
}, 600_000);
afterAll(() => platform.stop());

const on = (triggers: object): object => ({ triggers });

/** A pipeline that learns the model of the one that serves, and deploys nothing. */
async function createLearner(more: object): Promise<string> {
  const id = platform.newId('learner');
  const spec = { ...pipelineSpec(served, code), packaging: {}, deployment: {}, ...more };
  await platform.admin.create('/model/pipeline', id, spec);
  return id;
}

/** Asks the served model, which answers 2x + 1, and tells it what would have been right. */
async function askAndTell(x: number, truth: number): Promise<void> {
  const { headers } = await platform.admin.call('POST', `/model/${served}/api/model/invoke`, {
    columns: ['x'],
    data: [[x]],
  });
  const about = (name: string): string => headers.get(name) ?? '';
  await platform.admin.call(
    'POST',
    '/feedback/model/',
    { truth },
    {
      'x-model-name': about('model-name'),
      'x-model-version': about('model-version'),
      'request-id': about('request-id'),
    },
  );
}

test('feedback starts a run by its number, and another one by the error that it shows', async () => {
  const drift = { measure: 'mean-absolute-error', limit: 5, prediction: '/prediction/0', truth: '/truth', samples: 3 };
  const learner = await createLearner(on({ drift: { ...drift, windowSeconds: 3_600 } }));
  const content = await createLearner(on({ drift: { ...drift, windowSeconds: 3_600, limit: 50 } }));
  for (const x of [1, 2]) await askAndTell(x, 2 * x + 11);
  await expect(pipelines.read(served, 2)).rejects.toThrow(/has no run 2/);
  await askAndTell(3, 17);

  const counted = await pipelines.untilOver(served, 2);
  expect(counted).toMatchObject({
    spec: { trigger: { type: 'feedback', message: `3 new feedback records of model ${served}` } },
    status: { state: 'succeeded' },
  });
  // Nothing of what a run is made of has changed: it costs no container.
  expect(reused(counted)).toEqual([`training/${served}-1`, `packaging/${served}-1`]);

  const drifted = await pipelines.untilOver(learner, 1);
  expect(drifted).toMatchObject({
    spec: {
      trigger: {
        type: 'drift',
        message: expect.stringMatching(/^mean-absolute-error is (10|10\.0+\d*|9\.999\d+) over 3 records, above 5$/),
      },
    },
    status: { state: 'succeeded' },
  });
  expect(reused(drifted)).toEqual([`training/${served}-1`]);
  await expect(pipelines.read(content, 1)).rejects.toThrow(/has no run 1/);
  // Neither of them starts again by what it has seen.
  await Promise.all([expectNoMore(served, 3), expectNoMore(learner, 2)]);
}, 600_000);

test('data that changes in the bucket starts one run per change', async () => {
  const bucket = platform.environment.SLIPWAY_BUCKET ?? '';
  const folder = `inputs/${platform.newId('rows')}`;
  await platform.objects.put(`${folder}/rows.csv`, 'x\n1\n');
  const connection = platform.newId('rows');
  await platform.admin.create('/connection', connection, { type: 'object-store', uri: `gs://${bucket}/${folder}` });
  const spec = pipelineSpec(served, code) as { training: object };
  const data = [{ connection, localPath: 'inputs' }];
  const id = await createLearner({ training: { ...spec.training, data }, ...on({ data: true }) });
  const position = async () =>
    (await platform.admin.call<{ status: { positions: { data?: string } } }>('GET', `${PIPELINES}/${id}`)).body.status
      .positions.data;
  const before = await until('the data to be known', position);
  await platform.objects.put(`${folder}/rows.csv`, 'x\n1\n2\n');
  expect(await pipelines.untilOver(id, 1)).toMatchObject({
    spec: { trigger: { type: 'data', message: 'the data of the training changed' } },
    status: { state: 'succeeded' },
  });
  expect(await position()).not.toBe(before);
  await expectNoMore(id, 2);
  // As it was before: another change, of which the result is not known, as nothing was ever made of it.
  await platform.objects.put(`${folder}/rows.csv`, 'x\n1\n');
  expect((await pipelines.untilOver(id, 2)).spec.trigger.type).toBe('data');
}, 600_000);

test('a signed message from outside starts one run, however often it comes; an unsigned one none', async () => {
  const id = await createLearner(on({ webhook: { enabled: true } }));
  const { body } = await platform.admin.call<{ url: string; secret: string }>('GET', `${PIPELINES}/${id}/webhook`);
  expect(body.url).toBe(`${platform.baseUrl}${PIPELINES}/${id}/webhook`);
  const message = { id: randomUUID(), at: new Date(), body: JSON.stringify({ version: '7' }) };
  const headers = {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(message.at.getTime() / 1_000)),
    'webhook-signature': new Webhook(body.secret).sign(message.id, message.at, message.body),
  };
  const post = (more: Record<string, string> = {}, text = message.body) =>
    fetch(body.url, { method: 'POST', headers: { ...headers, ...more }, body: text });

  expect((await post({}, '{"version":"8"}')).status).toBe(401);
  expect((await post({ 'webhook-signature': 'v1,AAAA' })).status).toBe(401);
  await expect(pipelines.read(id, 1)).rejects.toThrow(/has no run 1/);
  const replies = await Promise.all([post(), post(), post()]);
  expect(replies.map(({ status }) => status).filter((status) => status !== 409)).toContain(202);
  expect(await (await post()).json()).toEqual({ id: `${id}-1`, number: 1 });
  expect(await pipelines.untilOver(id, 1)).toMatchObject({
    spec: { version: '7', trigger: { type: 'webhook', message: `message ${message.id}` } },
    status: { state: 'succeeded' },
  });
  expect(await (await post()).json()).toEqual({ id: `${id}-1`, number: 1 });
  await expect(pipelines.read(id, 2)).rejects.toThrow(/has no run 2/);
}, 600_000);

const reused = ({ status }: RunView): string[] => status.steps.flatMap(({ reusedFrom = [] }) => reusedFrom);

/** Looks at triggers come every two seconds here. */
async function expectNoMore(id: string, number: number): Promise<void> {
  const lookedAt = Date.now() + 8_000;
  await until(`a while without run ${number} of ${id}`, async () => {
    await expect(pipelines.read(id, number)).rejects.toThrow(/has no run/);
    return Date.now() > lookedAt;
  });
}
