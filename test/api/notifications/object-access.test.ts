import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_SCOPES, declareAll, startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  await api.call('PUT', '/v2/positions/1', { body: { title: 'Crane operator', staffing_status: 'Open' } });
});
afterAll(() => api.stop());

/** May do everything, but reads another dataset only. */
const OTHER = [...ALL_SCOPES.filter((scope) => scope !== 'data:read:*'), 'data:read:skills'];

/** The collections whose objects belong to the clients that may read their streams, with the code of a missing object. */
const CHECKED: Readonly<Record<string, string>> = {
  subscriptions: 'subscription.not_found',
  feed: 'subscription.not_found',
  watches: 'watch.not_found',
};
/** The collections that a scope protects as a whole, or that any client may read. */
const UNCHECKED = ['keys', 'datasets', 'problems', 'event-types'];

async function newSubscription(types = ['dataset.positions.*'], more: object = {}): Promise<string> {
  const body = { name: 'a', url: 'https://hr.example/', types, ...more };
  const { id } = (await api.call('POST', '/v2/subscriptions', { body })).body;
  // A port where nothing listens: a test event must not leave this machine.
  await api.subscriptions.update(id, (each) => ({ ...each, spec: { ...each.spec, url: 'http://127.0.0.1:9/' } }));
  return id;
}

async function newWatch(): Promise<string> {
  const body = { name: 'a', scope: { dataset: 'positions' }, period: 'P1D' };
  return (await api.call('POST', '/v2/watches', { body })).body.id;
}

/** Every route of `/v2` with an id below a collection. */
function routesWithId(): { method: string; path: string; collection: string }[] {
  return api.router.stack.flatMap(({ path, methods }) => {
    const [, collection] = /^\/v2\/([a-z-]+)\/:/.exec(String(path)) ?? [];
    if (collection === undefined || UNCHECKED.includes(collection)) return [];
    return methods.filter((method) => method !== 'HEAD').map((method) => ({ method, path: String(path), collection }));
  });
}

/** @returns the code of the problem, or the status */
async function callRoute({ method, path, collection }: ReturnType<typeof routesWithId>[number], as: string[]) {
  const id = await (collection === 'watches' ? newWatch() : newSubscription());
  const values: Record<string, string> = { id, sequence: '1', recovery: 'rec_1', kid: 'k_1', name: 'a' };
  const target = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'unknown');
  const reply = await api.call(method, target, { as, ...(method !== 'GET' && { body: {} }) });
  const store = collection === 'watches' ? api.watching.watches : api.subscriptions;
  return { code: (reply.body?.code as string | undefined) ?? reply.status, stored: await store.get(id) };
}

test('no route shows or changes an object that the client may not read', async () => {
  const routes = routesWithId();
  expect(routes.length).toBeGreaterThan(30);
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const missing = CHECKED[route.collection];
    expect([name, missing]).toEqual([name, expect.any(String)]);
    const refused = await callRoute(route, OTHER);
    expect([name, refused.code]).toEqual([name, missing]);
    expect(refused.stored).toMatchObject({ updatedAt: refused.stored?.createdAt, status: { state: 'active' } });
    const allowed = await callRoute(route, ALL_SCOPES);
    expect([name, allowed.code]).not.toEqual([name, missing]);
  }
});

test('every stream of a subscription has to be readable, also those that it reads no more', async () => {
  const both = await newSubscription(['dataset.positions.*', 'dataset.skills.*']);
  const read = (id: string, as: string[]) => api.call('GET', `/v2/subscriptions/${id}`, { as });
  expect((await read(both, ['subscriptions:read', 'data:read:skills'])).status).toBe(404);
  expect((await read(both, ['subscriptions:read', 'data:read:skills', 'data:read:positions'])).status).toBe(200);
  const runs = await newSubscription(['pipeline.run.*']);
  expect((await read(runs, ['subscriptions:read', 'data:read:*'])).status).toBe(404);
  expect((await read(runs, ['subscriptions:read', 'pipelines:read'])).status).toBe(200);
});

test('lists hold no object that its own address would not show', async () => {
  const [mine, hidden] = [await newSubscription(['dataset.skills.*']), await newSubscription()];
  const at = new Date().toISOString();
  for (const [id, dataset] of [
    [mine, 'skills'],
    [hidden, 'positions'],
  ] as const) {
    const event = { sequence: 1, id: `ntc_${id}`, eventId: 'evt_1', about: '1', body: '{}' };
    const notices = [{ ...event, type: `dataset.${dataset}.created` }];
    await api.outbox.insert(id, { block: 1, from: 1, notices, sources: {}, at, token: 't' });
    await api.ledger.settle({ subscription: id, sequence: 1 }, { episode: 0, state: 'failed', by: 'exhausted', at });
  }
  const seen = async (path: string, name: string) => {
    const { items } = (await api.call('GET', path, { as: OTHER })).body;
    return items.map((item: Record<string, string>) => item[name]);
  };
  const listed = await seen('/v2/subscriptions', 'id');
  expect([listed.includes(mine), listed.includes(hidden)]).toEqual([true, false]);
  expect(await seen('/v2/failed-deliveries', 'subscription')).toEqual([mine]);
});
