import { afterAll, beforeAll, expect, test } from 'vitest';
import { customRouteKey } from '../../../lifecycle/stores/route-readers.js';
import { startTestApi, type TestApi } from '../test-api.js';

const PATH = '/api/v1/model/route';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  for (const id of ['a', 'b', 'c']) {
    const spec = { image: `registry.example.org/${id}:1`, predictor: 'platform-ml-server' };
    await api.call('POST', '/api/v1/model/deployment', { body: { id, spec } });
  }
});
afterAll(() => api.stop());

const both = (a = 90, b = 10) => [
  { mdName: 'a', weight: a },
  { mdName: 'b', weight: b },
];
const route = (id: string, more: object = {}) => ({
  id,
  spec: { urlPrefix: `/custom/${id}`, modelDeployments: both(), ...more },
});
const post = (body: object) => api.call('POST', PATH, { body });
const put = (body: object, headers = {}) => api.call('PUT', PATH, { body, headers });
const get = (id: string) => api.call('GET', `${PATH}/${id}`);
const setState = (id: string, state: 'Ready' | 'Processing') =>
  api.deployments.update(id, (each) => ({ ...each, status: { ...each.status, state } }));

test('a route is created, replaced, read, listed and deleted', async () => {
  const created = await post(route('first', { mirror: 'c', sticky: { header: 'X-User' } }));
  expect([created.status, created.body]).toEqual([
    201,
    {
      kind: 'ModelRoute',
      id: 'first',
      createdAt: expect.anything(),
      updatedAt: created.body.createdAt,
      spec: { urlPrefix: '/custom/first', mirror: 'c', modelDeployments: both(), sticky: { header: 'X-User' } },
      status: { edgeUrl: 'https://models.example.org/custom/first', state: 'Processing' },
      generation: 1,
      createdBy: 'tester',
      updatedBy: 'tester',
    },
  ]);
  expect((await post(route('first'))).body.message).toBe(
    'entity "first" already exists: change it with PUT, or use another id',
  );
  const changed = await put(route('first', { modelDeployments: both(10, 90) }));
  expect([changed.status, changed.body.generation, changed.body.spec]).toEqual([
    200,
    2,
    { urlPrefix: '/custom/first', modelDeployments: both(10, 90), sticky: {} },
  ]);
  expect((await get('first')).body).toEqual(changed.body);
  const { body } = await api.call('GET', PATH);
  expect(body).toContainEqual(changed.body);
  expect(body).toHaveLength(4);
  const stale = await put(route('first'), { 'If-Match': '"1-1"' });
  expect([stale.status, stale.body.code]).toEqual([412, 'revision_mismatch']);
  const gone = await api.call('DELETE', `${PATH}/first`);
  expect([gone.status, gone.body]).toEqual([200, { message: 'Model route first was deleted' }]);
  expect((await get('first')).status).toBe(404);
  expect((await api.call('DELETE', `${PATH}/first`)).status).toBe(404);
  expect((await put(route('first'))).body.message).toBe('entity "first" is not found');
  const audited = (await api.call('GET', '/api/v1/audit?kind=ModelRoute&entityId=first')).body;
  expect(audited.map(({ action }: { action: string }) => action)).toEqual(['delete', 'update', 'create']);
});

test('the weight of a single target may be absent', async () => {
  const { body } = await post(route('single', { modelDeployments: [{ mdName: 'a' }] }));
  expect(body.spec.modelDeployments).toEqual([{ mdName: 'a', weight: 100 }]);
  await api.call('DELETE', `${PATH}/single`);
});

const PREFIX = 'Validation of model route is failed: ';
const INVALID: [string, object, string][] = [
  [
    'an id',
    route('Not_Valid', { urlPrefix: '/custom/x' }),
    'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter first, no - at the end',
  ],
  ['no address', route('x', { urlPrefix: '' }), `${PREFIX}empty URL Prefix`],
  ['an address without slash', route('x', { urlPrefix: 'custom/x' }), `${PREFIX}the URL prefix must start with slash`],
  ['another address', route('x', { urlPrefix: '/wine' }), `${PREFIX}custom URL prefix must start with /custom`],
  ['an address of models', route('x', { urlPrefix: '/model/a' }), `${PREFIX}the URL prefix /model/a is forbidden`],
  ['that of feedback', route('x', { urlPrefix: '/feedback' }), `${PREFIX}the URL prefix /feedback is forbidden`],
  ...['/custom', '/custom/', '/customer', '/custom/x/', '/custom//x', '/custom/..', '/custom/a b', '/custom/a?b'].map(
    (urlPrefix): [string, object, string] => [
      urlPrefix,
      route('x', { urlPrefix }),
      `${PREFIX}the URL prefix ${urlPrefix} is not valid: write /custom/<name>, with letters, digits and . _ ~ - in each part, and no slash at the end`,
    ],
  ),
  ['a mirror that is not there', route('x', { mirror: 'absent' }), `${PREFIX}entity "absent" is not found`],
  ['no target', route('x', { modelDeployments: [] }), 'model deployment targets must contain at least one element'],
  ['no spec', { id: 'x' }, `${PREFIX}empty URL Prefix; model deployment targets must contain at least one element`],
  [
    'everything',
    { id: '', spec: { urlPrefix: 'x', mirror: 'absent', modelDeployments: [{ mdName: 'gone' }] } },
    `ID is not valid; empty "ID"; ${PREFIX}the URL prefix must start with slash; entity "absent" is not found; entity "gone" is not found`,
  ],
  [
    'a single target with a part of the traffic',
    route('x', { modelDeployments: [{ mdName: 'a', weight: 99 }] }),
    'it must have 100 weight or nil value if there is only one target',
  ],
  [
    'targets without weights',
    route('x', { modelDeployments: [{ mdName: 'a', weight: 100 }, { mdName: 'b' }] }),
    'weights must be present if there are more than one model deployment targets',
  ],
  ['another sum', route('x', { modelDeployments: both(90, 11) }), 'total target weight does not equal 100'],
  ['a negative weight', route('x', { modelDeployments: both(110, -10) }), 'weight -10 must not be less than 0'],
  [
    'a target twice',
    route('x', { modelDeployments: [...both(), { mdName: 'a', weight: 0 }] }),
    'duplicate model deployment target "a"',
  ],
  [
    'two kinds of stickiness',
    route('x', { sticky: { header: 'a', cookie: 'b' } }),
    'sticky takes one of header, cookie and field',
  ],
  [
    'a header with a credential',
    route('x', { sticky: { header: 'Authorization' } }),
    'sticky.header "Authorization" is not the name of a header that may be used',
  ],
  [
    'a cookie with a space',
    route('x', { sticky: { cookie: 'a b' } }),
    'sticky.cookie "a b" is not a valid name of a cookie',
  ],
  [
    'an empty part of a field',
    route('x', { sticky: { field: 'a..b' } }),
    'sticky.field "a..b" is not valid: write names with dots in between, such as customer.id or data.0.0, 10 at most',
  ],
  [
    'a weight that is no number',
    route('x', { modelDeployments: [{ mdName: 'a', weight: 'much' }] }),
    'spec.modelDeployments.0.weight must be an integer',
  ],
];
test.each(INVALID)('%s is refused', async (_name, body, message) => {
  const { status, body: reply } = await post(body);
  expect([status, reply.code, reply.message]).toEqual([400, 'validation_failed', message]);
});

test('one address has one route', async () => {
  await post(route('owner', { urlPrefix: '/custom/shared' }));
  const other = await post(route('other', { urlPrefix: '/custom/shared' }));
  expect([other.status, other.body.message]).toEqual([
    400,
    `${PREFIX}the URL prefix /custom/shared is that of route "owner"`,
  ]);
  expect((await post(route('inner', { urlPrefix: '/custom/shared/inner' }))).status).toBe(201);
  expect((await put(route('owner', { urlPrefix: '/custom/shared', modelDeployments: both(0, 100) }))).status).toBe(200);
  for (const id of ['owner', 'inner']) await api.call('DELETE', `${PATH}/${id}`);
});

test('no route takes the id of a default route', async () => {
  const { id } = (await api.call('GET', '/api/v1/model/deployment/a/default-route')).body;
  const { status, body } = await post(route(id, { urlPrefix: '/custom/taken' }));
  expect([status, body.code]).toEqual([409, 'already_exists']);
});

test('a route is ready when its deployments are and every gateway has it', async () => {
  await post(route('ready'));
  const stateOf = async () => (await get('ready')).body.status.state;
  const tags = new Set<string | null>();
  const tag = async () => tags.add((await get('ready')).headers.get('etag'));
  await tag();
  await setState('a', 'Ready');
  expect(await stateOf()).toBe('Processing');
  await tag();
  await api.routeReaders.acknowledge('gateway', {});
  await setState('b', 'Ready');
  expect(await stateOf()).toBe('Processing');
  await tag();
  const revision = (await api.routes.get('ready'))?.revision ?? 0;
  await api.routeReaders.acknowledge('gateway', { [customRouteKey('ready')]: revision });
  expect(await stateOf()).toBe('Ready');
  await tag();
  await put(route('ready', { modelDeployments: both(50, 50) }));
  expect(await stateOf()).toBe('Processing');
  await tag();
  expect(tags.size).toBe(5);
  await api.routeReaders.leave('gateway');
  await setState('a', 'Processing');
  await api.call('DELETE', `${PATH}/ready`);
});

test('events tell the changes of custom routes, and of the deployments that they lead to', async () => {
  const path = '/api/v1/model/route-events';
  const { cursor } = (await api.call('GET', path)).body;
  await post(route('noted'));
  await put(route('noted', { modelDeployments: both(10, 90) }));
  const first = (await api.call('GET', `${path}?cursor=${cursor}`)).body;
  const shortly = ({ events }: { events: { entityID: string; type: string }[] }) =>
    events.map(({ entityID, type }) => `${entityID} ${type}`);
  expect(shortly(first)).toEqual(['noted ModelRouteCreated', 'noted ModelRouteUpdate']);
  expect(first.events[1].payload).toEqual((await get('noted')).body);
  await setState('b', 'Processing');
  await setState('b', 'Ready');
  await api.call('DELETE', `${PATH}/noted`);
  await post(route('noted'));
  const second = (await api.call('GET', `${path}?cursor=${first.cursor}`)).body;
  const noted = shortly(second).filter((line) => line.startsWith('noted'));
  // Events of one millisecond are in any order across the two feeds.
  expect(noted).toHaveLength(3);
  expect(noted).toContain('noted ModelRouteStatusUpdated');
  expect(noted.filter((line) => !line.endsWith('StatusUpdated'))).toEqual([
    'noted ModelRouteDeleted',
    'noted ModelRouteCreated',
  ]);
  expect(await api.call('GET', `${path}?cursor=${second.cursor}`)).toMatchObject({
    body: { events: [], cursor: second.cursor },
  });
  await api.call('DELETE', `${PATH}/noted`);
});

test('pages hold each route once, whichever kind it is of', async () => {
  for (const id of ['aa', 'b0', 'zz']) await post(route(id));
  const whole = (await api.call('GET', PATH)).body as { id: string }[];
  expect(whole).toHaveLength(6);
  for (const size of [1, 2, 4]) {
    const found: { id: string }[] = [];
    for (let page = 0; ; page += 1) {
      const { body, headers } = await api.call('GET', `${PATH}?size=${size}&page=${page}`);
      expect(headers.get('x-total-count')).toBe('6');
      if (body.length === 0) break;
      found.push(...body);
    }
    expect(found).toEqual(whole);
  }
  expect((await api.call('GET', `${PATH}?name=x`)).status).toBe(400);
});
