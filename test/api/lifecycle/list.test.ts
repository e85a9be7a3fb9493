import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import { DeploymentSpec, freshDeployment } from '../../../lifecycle/kinds/deployment.js';
import { freshPackaging, PackagingSpec } from '../../../lifecycle/kinds/packaging.js';
import { PipelineSpec, type PipelineStatus } from '../../../lifecycle/kinds/pipeline.js';
import { freshTraining, TrainingSpec } from '../../../lifecycle/kinds/training.js';
import type { AnyResource, Kind } from '../../../platform/kinds/resource.js';
import type { ResourceStore } from '../../../platform/stores/resources.js';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => (api = await startTestApi()));
afterAll(() => api.stop());

const AT = new Date('2026-01-01T00:00:00Z');

const resource = (kind: Kind, id: string, { spec, status }: Content): AnyResource => ({
  ...{ kind, id, uid: randomUUID(), generation: 1, revision: 0, createdBy: 'ana', updatedBy: 'ana' },
  ...{ createdAt: AT.toISOString(), updatedAt: AT.toISOString(), spec, status },
});
interface Content {
  spec: object;
  status: object;
}

const run = (status: object, state: string): object => ({ ...status, state });
const model = (name: string, version: string) => ({ model: { name, version } });
const inPipeline = (name: string) => PipelineSpec.parse({ training: model(name, '7') });
const NO_RUN: PipelineStatus = { lastRun: 0, positions: {} };
// prettier-ignore
const LISTS = [
  {
    path: 'training', store: 'trainings', kind: 'ModelTraining',
    match: { spec: TrainingSpec.parse({ toolchain: 'mlflow', ...model('wine', '7') }), status: run(freshTraining(AT), 'failed') },
    other: { spec: TrainingSpec.parse({ toolchain: 'own', ...model('iris', '8') }), status: freshTraining(AT) },
    filters: ['toolchain=ml-toolchain', 'toolchain=mlflow', 'model_name=wine', 'model_version=7', 'state=failed'],
  },
  {
    path: 'packaging', store: 'packagings', kind: 'ModelPackaging',
    match: { spec: PackagingSpec.parse({ integrationName: 'docker-rest', artifactName: 'a.zip' }), status: run(freshPackaging(AT), 'failed') },
    other: { spec: PackagingSpec.parse({ integrationName: 'docker-cli', artifactName: 'b.zip' }), status: freshPackaging(AT) },
    filters: ['type=container-rest', 'integrationName=docker-rest', 'artifactName=a.zip', 'state=failed'],
  },
  {
    path: 'deployment', store: 'deployments', kind: 'ModelDeployment',
    match: { spec: DeploymentSpec.parse({ roleName: 'callers' }), status: run(freshDeployment(AT, 'x'), 'Ready') },
    other: { spec: DeploymentSpec.parse({ roleName: 'others' }), status: freshDeployment(AT, 'y') },
    filters: ['roleName=callers', 'state=Ready'],
  },
  {
    path: 'pipeline', store: 'pipelines', kind: 'ModelPipeline',
    match: { spec: inPipeline('wine'), status: NO_RUN }, other: { spec: inPipeline('iris'), status: NO_RUN },
    filters: ['model_name=wine'],
  },
] as const;

test.each(LISTS)('each filter of the list of $store finds what matches, and nothing else', async (list) => {
  const { path, kind, filters } = list;
  const store = api[list.store] as unknown as ResourceStore<AnyResource>;
  await store.insert(resource(kind, `${path}-other`, list.other));
  await store.insert(resource(kind, `${path}-match`, list.match));
  for (const filter of [...filters, filters.join('&'), `${filters[0]}&${filters[0].replace(/=.*/, '=absent')}`]) {
    const found = await page(`/api/v1/model/${path}?${filter}`);
    expect([filter, found]).toEqual([filter, { ids: [`${path}-match`], total: '1' }]);
  }
  for (const filter of filters) {
    const none = await page(`/api/v1/model/${path}?${filter.replace(/=.*/, '=absent')}`);
    expect([filter, none]).toEqual([filter, { ids: [], total: '0' }]);
  }
});

test('connections are found by every name of their type', async () => {
  const spec = ConnectionSpec.parse({ type: 'ecr', uri: 'x' });
  const store = api.connections as unknown as ResourceStore<AnyResource>;
  await store.insert(resource('Connection', 'list-ecr', { spec, status: {} }));
  for (const type of ['ecr', 'cloud-registry', 'ecr&type=gcs']) {
    const { ids } = await page(`/api/v1/connection?type=${type}`);
    expect(ids).toContain('list-ecr');
  }
  expect((await page('/api/v1/connection?type=git')).ids).not.toContain('list-ecr');
});

test('a page far after the end is empty', async () => {
  const { ids, total } = await page(`/api/v1/toolchain/integration?size=10000&page=${Number.MAX_SAFE_INTEGER}`);
  expect(ids).toEqual([]);
  expect(Number(total)).toBeGreaterThan(0);
});

test('routes are listed in the order of their deployments, and found by id however long that is', async () => {
  const store = api.deployments as unknown as ResourceStore<AnyResource>;
  const spec = DeploymentSpec.parse({ roleName: 'routed' });
  const ids = ['route-a', `route-${'b'.repeat(50)}-${'c'.repeat(6)}`, 'route-d'];
  for (const id of ids) {
    await store.insert(resource('ModelDeployment', id, { spec, status: freshDeployment(AT, id) }));
  }
  const { body } = await api.call('GET', '/api/v1/model/route');
  const routes = (body as Route[]).filter(({ spec }) => spec.urlPrefix.startsWith('/model/route-'));
  expect(routes.map(({ spec }) => spec.urlPrefix)).toEqual(ids.map((id) => `/model/${id}`));
  for (const route of routes) {
    expect((await api.call('GET', `/api/v1/model/route/${route.id}`)).body).toEqual(route);
  }
  const absent = routes[0]?.id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  expect((await api.call('GET', `/api/v1/model/route/${absent}`)).status).toBe(404);
});

interface Route {
  id: string;
  spec: { urlPrefix: string };
}

async function page(path: string) {
  const { body, headers } = await api.call('GET', path);
  return { ids: (body as { id: string }[]).map(({ id }) => id), total: headers.get('x-total-count') };
}
