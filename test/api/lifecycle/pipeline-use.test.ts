import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const INTEGRATION = { entrypoint: 'main', defaultImage: 'example.org/tool:1' };

/** A pipeline with a connection, a toolchain and a packager of its own name. */
async function createPipeline(to: TestApi, id: string): Promise<void> {
  const create = async (path: string, name: string, spec: object) =>
    expect((await to.call('POST', `/api/v1${path}`, { body: { id: name, spec } })).status).toBe(201);
  await create('/connection', id, { type: 'git', uri: 'https://example.org/x.git' });
  await create('/toolchain/integration', id, INTEGRATION);
  await create('/packaging/integration', id, {
    ...INTEGRATION,
    schema: { targets: [], arguments: { properties: [] } },
  });
  await create('/model/pipeline', id, {
    parameters: { code: id },
    training: {
      model: { name: 'wine', version: '1' },
      toolchain: id,
      algorithmSource: { vcs: { connection: '{{ parameters.code }}' } },
    },
    packaging: { integrationName: id },
  });
}

const PATHS = ['/connection', '/toolchain/integration', '/packaging/integration'] as const;
const remove = async (to: TestApi, path: string, id: string) => {
  const { status, body } = await to.call('DELETE', `/api/v1${path}/${id}`);
  return [status, body.code ?? '', body.message];
};

test('what a pipeline names is kept until the pipeline is gone and its last run has ended', async () => {
  await createPipeline(api, 'kept');
  const words = ['connection kept', 'toolchain integration kept', 'packaging integration kept'];
  for (const [at, path] of PATHS.entries()) {
    expect(await remove(api, path, 'kept')).toEqual([409, 'in_use', `${words[at]} is in use by ModelPipeline kept`]);
  }
  await api.call('POST', '/api/v1/model/pipeline/kept/run', { body: {} });
  await api.call('DELETE', '/api/v1/model/pipeline/kept');
  for (const [at, path] of PATHS.entries()) {
    expect(await remove(api, path, 'kept')).toEqual([409, 'in_use', `${words[at]} is in use by PipelineRun kept-1`]);
  }
  await api.pipelineRuns.update('kept-1', (run) => ({ ...run, status: { ...run.status, state: 'failed' } }));
  for (const path of PATHS) expect((await remove(api, path, 'kept'))[0]).toBe(200);
});

test('a built-in toolchain that is named by its alias is kept; an entity of that very id is another one', async () => {
  await createPipeline(api, 'aliased');
  const { body } = await api.call('GET', '/api/v1/model/pipeline/aliased');
  const spec = { ...body.spec, training: { ...body.spec.training, toolchain: 'mlflow' } };
  expect((await api.call('PUT', '/api/v1/model/pipeline', { body: { id: 'aliased', spec } })).status).toBe(200);
  expect((await remove(api, '/toolchain/integration', 'ml-toolchain'))[2]).toContain('in use by ModelPipeline aliased');
  await api.call('POST', '/api/v1/toolchain/integration', { body: { id: 'mlflow', spec: INTEGRATION } });
  expect((await remove(api, '/toolchain/integration', 'mlflow'))[0]).toBe(409);
  expect((await remove(api, '/toolchain/integration', 'ml-toolchain'))[0]).toBe(200);
});

test('with delete protection off pipelines do not count', async () => {
  const lax = await startTestApi({}, { SLIPWAY_DELETE_PROTECTION: 'false' });
  await createPipeline(lax, 'lax');
  const statuses = [];
  for (const path of PATHS) statuses.push((await remove(lax, path, 'lax'))[0]);
  await lax.stop();
  expect(statuses).toEqual([200, 200, 200]);
});
