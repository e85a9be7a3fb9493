import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/deployment';
const manifest = (id: string, change: object = {}) => ({
  id,
  spec: { image: 'registry.example.org/wine:1', predictor: 'odahu-ml-server', ...change },
});

test('a create is Processing, has every number that clients read, and its default route at once', async () => {
  const { status, body } = await api.call('POST', PATH, { body: manifest('wine') });
  expect(status).toBe(201);
  expect(body.spec).toMatchObject({
    minReplicas: 0,
    maxReplicas: 1,
    roleName: 'role-wine',
    predictor: 'odahu-ml-server',
  });
  expect(body.status).toMatchObject({ state: 'Processing', replicas: 0, availableReplicas: 0, deployment: 'wine' });
  const route = await api.call('GET', `${PATH}/wine/default-route`);
  expect(route.body).toMatchObject({
    kind: 'ModelRoute',
    default: true,
    spec: { urlPrefix: '/model/wine', modelDeployments: [{ mdName: 'wine', weight: 100 }] },
    status: { edgeUrl: 'https://models.example.org/model/wine', state: 'Processing' },
  });
  expect(route.body.id).toMatch(/^wine-[0-9a-f]{5}$/);
  expect((await api.call('GET', `/api/v1/model/route/${route.body.id}`)).body).toEqual(route.body);
  expect((await api.call('GET', '/api/v1/model/route')).body).toContainEqual(route.body);
  const absent = await api.call('GET', `${PATH}/absent/default-route`);
  expect([absent.status, absent.body.message]).toEqual([404, 'entity "absent" is not found']);
});

test('fields without effect are named in a header of creates, changes and repeats, and others are refused', async () => {
  const body = { ...manifest('warned', { annotations: { a: 'b', description: 'of wines' } }), apiVersion: 'v1' };
  const headers = { 'idempotency-key': 'warned-once' };
  const warning =
    '299 - "apiVersion has no effect and is ignored", ' +
    '299 - "spec.annotations has no effect and is ignored, except description"';
  const replies = [
    await api.call('POST', PATH, { body, headers }),
    await api.call('POST', PATH, { body, headers }),
    await api.call('PUT', PATH, { body }),
  ];
  expect(replies.map((reply) => [reply.status, reply.headers.get('warning')])).toEqual([
    [201, warning],
    [201, warning],
    [200, warning],
  ]);
  for (const spec of [{}, { annotations: { description: 'of wines' } }]) {
    expect((await api.call('PUT', PATH, { body: manifest('warned', spec) })).headers.get('warning')).toBeNull();
  }
  expect((await api.call('PUT', PATH, { body: manifest('warned', { surprise: 1 }) })).status).toBe(400);
});

test('a changed spec hides the old Ready at once, a status change moves no time', async () => {
  const created = await api.call('POST', PATH, { body: manifest('ready') });
  await api.deployments.update('ready', (each) => ({ ...each, status: { ...each.status, state: 'Ready' } }));
  const ready = await api.call('GET', `${PATH}/ready`);
  expect([ready.body.status.state, ready.body.updatedAt]).toEqual(['Ready', created.body.updatedAt]);
  const changed = await api.call('PUT', PATH, { body: manifest('ready', { maxReplicas: 3 }) });
  expect([changed.body.status.state, changed.body.generation]).toEqual(['Processing', 2]);
});

test('a delete only marks; a second is the same, a PUT and a POST are conflicts', async () => {
  await api.call('POST', PATH, { body: manifest('leaving') });
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await api.call('DELETE', `${PATH}/leaving`);
    expect([status, body]).toEqual([200, { message: 'Model deployment leaving was deleted' }]);
  }
  const { body } = await api.call('GET', `${PATH}/leaving`);
  expect([body.deletionMark, body.status.state]).toEqual([true, 'Deleting']);
  const put = await api.call('PUT', PATH, { body: manifest('leaving', { maxReplicas: 2 }) });
  expect([put.status, put.body.code]).toEqual([409, 'deleting']);
  const post = await api.call('POST', PATH, { body: manifest('leaving') });
  expect([post.status, post.body.code]).toEqual([409, 'already_exists']);
  expect(api.signals.filter((line) => line.includes('/leaving'))).toHaveLength(3); // a repeat signals the run again
  expect((await api.call('GET', '/api/v1/audit?entityId=leaving&action=delete')).body).toHaveLength(1);
});

test('default routes cannot be written', async () => {
  await api.call('POST', PATH, { body: manifest('fixed') });
  const { id } = (await api.call('GET', `${PATH}/fixed/default-route`)).body;
  const put = await api.call('PUT', '/api/v1/model/route', { body: { id, spec: {} } });
  expect([put.status, put.body.message]).toEqual([
    403,
    `access forbidden: unable to update default route with ID "${id}"`,
  ]);
  const gone = await api.call('DELETE', `/api/v1/model/route/${id}`);
  expect([gone.status, gone.body.message]).toEqual([
    403,
    `access forbidden: unable to delete default route with ID "${id}"`,
  ]);
  const post = await api.call('POST', '/api/v1/model/route', { body: { id: 'x', default: true, spec: {} } });
  expect([post.status, post.body.message]).toEqual([400, 'unable to create default route']);
  expect((await api.call('POST', '/api/v1/model/route', { body: { id: 'x', spec: {} } })).status).toBe(400);
});

test('events tell every change in order, from any cursor', async () => {
  const { cursor } = (await api.call('GET', '/api/v1/model/deployment-events')).body;
  await api.call('POST', PATH, { body: manifest('reported') });
  await api.call('PUT', PATH, { body: manifest('reported', { maxReplicas: 2 }) });
  await api.call('DELETE', `${PATH}/reported`);
  await api.deployments.remove('reported');
  const page = (await api.call('GET', `/api/v1/model/deployment-events?cursor=${cursor}`)).body;
  expect(page.events.map(({ type }: { type: string }) => type)).toEqual([
    'ModelDeploymentCreated',
    'ModelDeploymentUpdated',
    'ModelDeploymentDeletionMarkIsSet',
    'ModelDeploymentDeleted',
  ]);
  expect(page.events.at(-1)).toMatchObject({ entityID: 'reported', payload: {} });
  const nothing = (await api.call('GET', `/api/v1/model/deployment-events?cursor=${page.cursor}`)).body;
  expect(nothing).toEqual({ events: [], cursor: page.cursor });
  const bad = await api.call('GET', '/api/v1/model/deployment-events?cursor=soon');
  expect(bad.body.message).toContain('Incorrect "cursor" query parameter value: soon. Integer expected. Details: ');
});

test("events of a route follow its deployment's, under the route's id", async () => {
  const path = '/api/v1/model/route-events';
  const { cursor } = (await api.call('GET', path)).body;
  await api.call('POST', PATH, { body: manifest('routed') });
  const { body: route } = await api.call('GET', `${PATH}/routed/default-route`);
  await api.call('PUT', PATH, { body: manifest('routed', { maxReplicas: 2 }) });
  await api.deployments.update('routed', (each) => ({ ...each, status: { ...each.status, state: 'Ready' } }));
  await api.call('DELETE', `${PATH}/routed`);
  await api.deployments.remove('routed');
  const { events } = (await api.call('GET', `${path}?cursor=${cursor}`)).body;
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'ModelRouteCreated',
    'ModelRouteUpdate',
    'ModelRouteStatusUpdated',
    'ModelRouteDeletionMarkIsSet',
    'ModelRouteDeleted',
  ]);
  expect(events.map(({ entityID }: { entityID: string }) => entityID)).toEqual(Array(5).fill(route.id));
  expect(events[0].payload).toEqual(route);
  expect(events[2].payload.status.state).toBe('Ready');
  expect(events[4].payload).toEqual({});
  expect((await api.call('GET', `${path}?cursor=x`)).status).toBe(400);
});
