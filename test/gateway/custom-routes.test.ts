import { afterEach, expect, test } from 'vitest';
import { customRoute, eventually, startEdge, startModel, wine } from './edge.js';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Given = Parameters<typeof startEdge>[1] & { roles?: Record<string, string> };

/** Deployments `a`, `b` and `c`, each with a model server that answers with its name, and custom routes. */
async function open({ roles = {}, ...more }: Given = {}, answer?: Parameters<typeof startModel>[0]) {
  const ids = ['a', 'b', 'c'];
  const models = await Promise.all(
    ids.map(async (id) => {
      const model = await startModel(id === 'c' && answer ? answer : () => ({ body: JSON.stringify({ by: id }) }));
      stops.push(model.stop);
      return [id, model] as const;
    }),
  );
  const edge = await startEdge(
    models.map(([id, { url }]) => wine([url], { id, modelName: `model ${id}`, roleName: roles[id] ?? 'callers' })),
    more,
  );
  stops.push(() => edge.stop());
  const call = async (path: string, headers: Record<string, string> = {}, body = '{}') =>
    fetch(`${edge.url}${path}`, {
      method: 'POST',
      headers: { authorization: edge.authorization, 'content-type': 'application/json', ...headers },
      body,
    });
  const invoke = (id: string, headers: Record<string, string> = {}, body = '{}') =>
    call(`/custom/${id}/api/model/invoke`, headers, body);
  const by = async (id: string, headers: Record<string, string> = {}, body = '{}') =>
    ((await (await invoke(id, headers, body)).json()) as { by: string }).by;
  return { edge, models: Object.fromEntries(models), call, invoke, by };
}

test('a call is rewritten to the model, and the reply and the record name the deployment that answered', async () => {
  const { edge, models, call } = await open({ custom: [customRoute('one', { b: 100 })] });
  const reply = await call('/custom/one/api/model/invoke?x=1', { 'request-id': 'r-1' });
  expect([reply.status, await reply.json()]).toEqual([200, { by: 'b' }]);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'request-id': 'r-1',
    'model-name': 'model b',
    'x-slipway-deployment': 'b',
    'x-slipway-revision': '3',
  });
  expect(models.b?.calls[0]).toMatchObject({
    url: '/api/model/invoke?x=1',
    headers: { 'x-forwarded-prefix': '/custom/one' },
  });
  const frames = await edge.frames();
  expect(frames).toHaveLength(1);
  expect(frames[0]?.head).toMatchObject({
    deployment: 'b',
    modelName: 'model b',
    uri: '/custom/one/api/model/invoke?x=1',
  });
});

test('the longest address counts, and only whole parts of it', async () => {
  const { call } = await open({
    custom: [customRoute('wine', { a: 100 }), customRoute('inner', { b: 100 }, { urlPrefix: '/custom/wine/v2' })],
  });
  const answer = async (path: string) => {
    const reply = await call(path);
    return reply.status === 200 ? ((await reply.json()) as { by: string }).by : reply.status;
  };
  expect(await answer('/custom/wine/api/model/invoke')).toBe('a');
  expect(await answer('/custom/wine/v2/api/model/invoke')).toBe('b');
  expect(await answer('/custom/wine/v2/models/m/infer')).toBe(404); // of the inner route, whose model has no such path
  for (const path of [
    '/custom/wines/api/model/invoke',
    '/custom/wine/metrics',
    '/custom/wine/../wine/metrics',
    '/custom/wine/%2e%2e/api/model/invoke',
    '/custom/api/model/invoke',
    `/custom${'/x'.repeat(4_000)}`,
  ]) {
    expect([path, await answer(path)]).toEqual([path, 404]);
  }
});

test('of two routes with one address the older one has it', async () => {
  const older = customRoute('older', { a: 100 }, { urlPrefix: '/custom/same' });
  const later = {
    ...customRoute('before', { b: 100 }, { urlPrefix: '/custom/same' }),
    createdAt: '2026-11-21T08:00:00Z',
  };
  const { by } = await open({ custom: [later, older] });
  expect(await by('same')).toBe('a');
});

test('a caller needs the role of every deployment, whatever their weights are, and else learns nothing', async () => {
  const { edge, invoke } = await open({
    roles: { a: 'role-a', b: 'role-b' },
    custom: [customRoute('split', { a: 100, b: 0 }), customRoute('gone', { absent: 100 })],
  });
  const as = async (id: string, ...roles: string[]) => {
    const reply = await invoke(id, { authorization: await edge.bearer(...roles) });
    return [reply.status, reply.headers.get('x-slipway-error'), reply.headers.get('x-slipway-deployment')];
  };
  expect(await as('split', 'role-a', 'role-b')).toEqual([200, null, 'a']);
  const unknown = await as('absent', 'role-a');
  expect(unknown).toEqual([403, expect.stringContaining("its deployment's own"), null]);
  expect(await as('split', 'role-a')).toEqual(unknown);
  expect(await as('gone', 'role-a')).toEqual(unknown);
  expect(await as('split', 'viewer')).toEqual([
    403,
    'Forbidden: route "/custom/split" is invoked with the role admin, data_scientist or role-a and role-b',
    null,
  ]);
  expect((await as('absent', 'admin'))[0]).toBe(404);
  expect(await as('gone', 'admin')).toEqual([503, 'no deployment of the route is ready', null]);
  const anonymous = await fetch(`${edge.url}/custom/split/api/model/invoke`, { method: 'POST' });
  expect(anonymous.status).toBe(401);
});

test('calls with the same header have the same deployment, also when weights change', async () => {
  const sticky = { header: 'X-User' };
  const { edge, by } = await open({ custom: [customRoute('ab', { a: 50, b: 50 }, { sticky })] });
  const users = Array.from({ length: 60 }, (_, at) => `user-${at}`);
  const round = () => Promise.all(users.map((user) => by('ab', { 'x-user': user })));
  const first = await round();
  expect(new Set(first)).toEqual(new Set(['a', 'b']));
  expect(await round()).toEqual(first);
  edge.routeTable.set('ab', { ...customRoute('ab', { a: 20, b: 80 }, { sticky }), revision: 2 });
  await eventually(async () => (await edge.routes.match('/custom/ab'))?.route.revision === 2);
  const second = await round();
  expect(first.filter((each, at) => each === 'b' && second[at] === 'a')).toEqual([]);
  expect(second).not.toEqual(first);
});

test('a caller without a cookie gets one, and stays with it', async () => {
  const { invoke } = await open({ custom: [customRoute('ab', { a: 50, b: 50 }, { sticky: { cookie: 'variant' } })] });
  for (let at = 0; at < 10; at += 1) {
    const first = await invoke('ab');
    const given = first.headers.get('set-cookie') ?? '';
    expect(given).toMatch(/^variant=[0-9a-f-]{36}; Path=\/custom\/ab; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const cookie = `other=1; ${given.split(';')[0]}`;
    const again = await Promise.all(Array.from({ length: 5 }, () => invoke('ab', { cookie })));
    const deployments = [first, ...again].map(({ headers }) => headers.get('x-slipway-deployment'));
    expect(new Set(deployments).size).toBe(1);
    expect(again.every(({ headers }) => headers.get('set-cookie') === null)).toBe(true);
  }
  expect((await invoke('ab', { 'x-forwarded-proto': 'https' })).headers.get('set-cookie')).toContain('; Secure');
  expect((await invoke('ab', { cookie: 'variant=<b>' })).headers.get('set-cookie')).toContain('variant=');
});

test('calls with the same field of the body have the same deployment', async () => {
  const { by, models } = await open({
    custom: [
      customRoute('object', { a: 50, b: 50 }, { sticky: { field: 'customer.id' } }),
      customRoute('row', { a: 50, b: 50 }, { sticky: { field: 'data.0.1' } }),
    ],
  });
  const ids = Array.from({ length: 40 }, (_, at) => at);
  const object = (id: number) => by('object', {}, JSON.stringify({ x: Math.random(), customer: { id } }));
  const row = (id: number) => by('row', {}, JSON.stringify({ data: [[Math.random(), id]] }));
  for (const of of [object, row]) {
    const first = await Promise.all(ids.map(of));
    expect(new Set(first).size).toBe(2);
    expect(await Promise.all(ids.map(of))).toEqual(first);
  }
  // Without the field chance decides; each body arrives as it was.
  for (const body of ['{}', 'not json', '{"customer":{"id":{}}}', '{"customer":null}', '']) {
    const all = await Promise.all(Array.from({ length: 24 }, () => by('object', {}, body)));
    expect([body, new Set(all).size]).toEqual([body, 2]);
  }
  const long = JSON.stringify({ customer: { id: 1 }, pad: 'x'.repeat(300_000) });
  await by('object', {}, long);
  expect([...(models.a?.calls ?? []), ...(models.b?.calls ?? [])].some(({ body }) => body === long)).toBe(true);
});

test('a deployment that cannot be reached passes its calls on, and one without replicas gets none', async () => {
  const { edge, invoke, by } = await open({
    custom: [customRoute('ab', { a: 99, b: 1 }), customRoute('only', { a: 100 })],
  });
  edge.table.set('a', wine(['http://127.0.0.1:9'], { id: 'a', epoch: 1 }));
  await eventually(async () => (await edge.routes.lookup('a'))?.epoch === 1);
  for (let at = 0; at < 20; at += 1) expect(await by('ab')).toBe('b');
  expect(await edge.metrics()).toMatch(/slipway_requests_total\{deployment="a",revision="3",code="passed_on"\} \d+/);
  expect((await invoke('only')).status).toBe(503);
  edge.table.set('a', wine([], { id: 'a', epoch: 2 }));
  await eventually(async () => (await edge.routes.lookup('a'))?.epoch === 2);
  for (let at = 0; at < 20; at += 1) expect(await by('ab')).toBe('b');
  edge.table.delete('a');
  await eventually(() => edge.routes.all().length === 2);
  for (let at = 0; at < 20; at += 1) expect(await by('ab')).toBe('b');
});

test('a mirror gets a copy of each call, and its answers and failures stay unseen', async () => {
  let isBroken = false;
  const { edge, models, invoke, by } = await open({ custom: [customRoute('m', { a: 100 }, { mirror: 'c' })] }, () => ({
    status: isBroken ? 500 : 200,
    body: '{"by":"c"}',
  }));
  const counted = async (outcome: string) =>
    Number(
      new RegExp(`slipway_mirrored_total\\{deployment="c",outcome="${outcome}"\\} (\\d+)`).exec(
        await edge.metrics(),
      )?.[1],
    );
  for (let at = 0; at < 5; at += 1) expect(await by('m', {}, `{"n":${at}}`)).toBe('a');
  await eventually(async () => (await counted('answered')) === 5);
  expect(models.c?.calls.map(({ body }) => body).sort()).toEqual([0, 1, 2, 3, 4].map((n) => `{"n":${n}}`));
  isBroken = true;
  expect(await by('m')).toBe('a');
  await eventually(async () => (await counted('failed')) === 1);
  await models.c?.stop();
  expect(await by('m')).toBe('a');
  await eventually(async () => (await counted('failed')) === 2);
  const large = await invoke('m', {}, JSON.stringify({ pad: 'x'.repeat(1_100_000) }));
  expect(large.status).toBe(200);
  await eventually(async () => (await counted('dropped')) === 1);
  const frames = await edge.frames();
  expect(frames).toHaveLength(8);
  expect(new Set(frames.map(({ head }) => head.kind === 'request' && head.deployment))).toEqual(new Set(['a']));
  expect(await edge.metrics()).not.toContain('slipway_requests_total{deployment="c"');
});

test('a mirror that never answers delays nothing, and copies beyond its room are dropped', async () => {
  const { edge, by } = await open(
    { custom: [customRoute('m', { a: 100 }, { mirror: 'c' })] },
    () => new Promise(() => undefined),
  );
  for (let at = 0; at < 40; at += 1) expect(await by('m')).toBe('a');
  expect(await edge.metrics()).toContain('slipway_mirrored_total{deployment="c",outcome="dropped"} 8');
});

test('weights that change under load fail no call, and each reply is of weights that were in force', async () => {
  const { edge, invoke } = await open({ custom: [customRoute('ab', { a: 100, b: 0 })] });
  const found: string[] = [];
  let isOn = true;
  const load = Array.from({ length: 8 }, async () => {
    while (isOn) {
      const reply = await invoke('ab');
      await reply.text();
      found.push(reply.status === 200 ? (reply.headers.get('x-slipway-deployment') ?? '') : String(reply.status));
    }
  });
  for (let revision = 2; revision < 12; revision += 1) {
    const weights = revision % 2 === 0 ? { a: 0, b: 100 } : { a: 100, b: 0 };
    edge.routeTable.set('ab', { ...customRoute('ab', weights), revision });
    await eventually(async () => (await edge.routes.match('/custom/ab'))?.route.revision === revision);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  isOn = false;
  await Promise.all(load);
  expect(new Set(found)).toEqual(new Set(['a', 'b']));
}, 60_000);

test('a removed route is gone within a poll', async () => {
  const { edge, invoke } = await open({ custom: [customRoute('ab', { a: 100 })] });
  expect((await invoke('ab')).status).toBe(200);
  edge.routeTable.delete('ab');
  await eventually(async () => (await invoke('ab')).status === 404);
});
