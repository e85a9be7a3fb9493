import { expect, onTestFinished, test } from 'vitest';
import type { Deployment } from '../../../lifecycle/kinds/deployment.js';
import type { Packaging } from '../../../lifecycle/kinds/packaging.js';
import type { InferenceJob } from '../../../lifecycle/kinds/inference-job.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import { limitsOf, type QuotaName, sumOf } from '../../../lifecycle/kinds/quota.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { createQuotas } from '../../../lifecycle/stores/quotas.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createImports } from '../../../reference/stores/imports.js';
import { declareAll, SKILLS, startTestReference } from './test-reference.js';

async function open(owner: Partial<Record<QuotaName, string>>, maxBytes?: number) {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const quotas = createQuotas({
    trainings: createResources<Training>({ database, kind: 'ModelTraining' }),
    packagings: createResources<Packaging>({ database, kind: 'ModelPackaging' }),
    deployments: createResources<Deployment>({ database, kind: 'ModelDeployment' }),
    pipelineRuns: createResources<PipelineRun>({ database, kind: 'PipelineRun' }),
    inferenceJobs: createResources<InferenceJob>({ database, kind: 'InferenceJob' }),
    limits: limitsOf({ owner, installation: {} }),
  });
  const imports = createImports({ database, objects, ...(maxBytes !== undefined && { maxBytes }) });
  const api = await startTestReference({ database, objects, changes: { quotas, imports } });
  onTestFinished(() => api.stop());
  return { ...api, quotas };
}
const refusal = (amount: string) => ({
  status: 403,
  body: expect.objectContaining({ code: 'quota.exceeded', detail: expect.stringContaining(amount) }),
});
const dataset = (id: string) => ({ body: { kind: 'Dataset', id, spec: SKILLS } });

test('datasets beyond the quota are refused; those that are there may be declared again', async () => {
  const { call, quotas } = await open({ datasets: '1' });
  expect((await call('PUT', '/v2/datasets/skills', dataset('skills'))).status).toBe(201);
  expect(await call('PUT', '/v2/datasets/more', dataset('more'))).toMatchObject(refusal('is 1 datasets: 1 in use'));
  expect((await call('PUT', '/v2/datasets/skills', dataset('skills'))).status).toBe(200);
  expect(sumOf(await quotas.holdings()).datasets).toBe(1);
  await call('DELETE', '/v2/datasets/skills?confirm=skills');
  expect((await call('PUT', '/v2/datasets/more', dataset('more'))).status).toBe(201);
});

test('subscriptions beyond the quota are refused before their receiver is probed', async () => {
  const api = await open({ subscriptions: '1' });
  await declareAll(api);
  const body = { name: 'a', url: 'https://hr.example/', types: ['dataset.skills.*'] };
  const create = () => api.call('POST', '/v2/subscriptions', { body });
  const { id } = (await create()).body;
  api.receiver.asked.length = 0;
  expect(await create()).toMatchObject(refusal('is 1 subscriptions: 1 in use'));
  expect(api.receiver.asked).toEqual([]);
  await api.call('DELETE', `/v2/subscriptions/${id}`);
  expect((await create()).status).toBe(201);
});

test('open imports are bounded, and so is the size of an upload', async () => {
  const api = await open({ imports: '1' }, 100);
  await declareAll(api);
  const create = () => api.call('POST', '/v2/skills/imports?format=ndjson');
  const { body } = await create();
  expect(await create()).toMatchObject(refusal('is 1 imports: 1 in use'));
  const path = `/v2/skills/imports/${body.id}`;
  const append = (raw: string, offset: number) =>
    api.call('PATCH', path, { raw, headers: { 'upload-offset': String(offset) } });
  expect((await append('x'.repeat(60), 0)).status).toBe(200);
  const large = await append('x'.repeat(60), 60);
  expect([large.status, large.body.code]).toEqual([413, 'body.too_large']);
  expect(large.body.detail).toContain('SLIPWAY_MAX_IMPORT_MIB');
  expect((await api.call('GET', path)).body.offset).toBe(60);
  await api.call('DELETE', path);
  expect((await create()).status).toBe(201);
});

test('an upload that does not say its size is cut off at the limit', async () => {
  const api = await open({}, 100);
  await declareAll(api);
  const { body } = await api.call('POST', '/v2/skills/imports?format=ndjson');
  const stream = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1_024)),
  });
  const reply = await fetch(`${api.url}/v2/skills/imports/${body.id}`, {
    ...{ method: 'PATCH', body: stream, duplex: 'half' },
    headers: { authorization: `Bearer ${await api.tokenOf(['data:write:*'])}`, 'upload-offset': '0' },
  }).then(
    ({ status }) => status,
    () => 'closed',
  );
  expect([413, 'closed']).toContain(reply);
  expect((await api.call('GET', `/v2/skills/imports/${body.id}`)).body.offset).toBe(0);
});
