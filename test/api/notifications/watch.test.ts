import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../e2e/until.js';
import { ALL_SCOPES, startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const fields = { title: { type: 'text' }, status: { type: 'enum', values: ['Open', 'Filled'] } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
  await api.call('PUT', '/v2/positions/1', { body: { title: 'Crane operator', status: 'Open' } });
  await api.call('PUT', '/v2/positions/2', { body: { title: 'Baker', status: 'Filled' } });
});
afterAll(() => api.stop());

const wanted = (more: object = {}) => ({
  name: 'gone quiet',
  scope: { dataset: 'positions', filter: 'status == Open' },
  period: 'P14D',
  ...more,
});
const create = (more: object = {}, call: object = {}) =>
  api.call('POST', '/v2/watches', { body: wanted(more), ...call });

test('a watch is made with its defaults, shown and listed, and the evaluator is woken', async () => {
  const { status, body, headers } = await create({ grace: 'PT6H', late_notice: true });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v2/watches/${body.id}`);
  expect(body).toMatchObject({
    state: 'active',
    each: 'entity',
    rearm: { mode: 'next_change' },
    evaluation: null,
    history: [],
  });
  expect(api.started).toContain('watches');
  expect((await api.call('GET', `/v2/watches/${body.id}`)).body).toEqual(body);
  const { items } = (await api.call('GET', '/v2/watches')).body;
  expect(items).toContainEqual(body);
});

test.each([
  [{ period: 'soon' }, 400, 'watch.invalid', '/period'],
  [{ surprise: 1 }, 400, 'watch.invalid', ''],
  [{ counts: { fields: ['status', 'salary'] } }, 400, 'watch.invalid', '/counts/fields/1'],
  [{ scope: { dataset: 'positions', filter: 'salary > 1' } }, 400, 'filter.invalid', undefined],
  [{ counts: { dwell: 'status == Lost' } }, 400, 'filter.invalid', undefined],
  [{ scope: { dataset: 'planets' } }, 404, 'dataset.not_found', undefined],
])('%j is refused', async (more, status, code, pointer) => {
  const reply = await create(more);
  expect([reply.status, reply.body.code, reply.body.errors?.[0].pointer]).toEqual([status, code, pointer]);
});

test('a watch can be created and read only with the read scope of its dataset', async () => {
  const { body } = await create();
  const without = (...scopes: string[]) => ({ as: ALL_SCOPES.filter((scope) => !scopes.includes(scope)) });
  expect((await create({}, without('watches:write'))).body).toMatchObject({ scope: 'watches:write' });
  expect((await create({}, without('data:read:*'))).body).toMatchObject({ scope: 'data:read:positions' });
  const hidden = await api.call('GET', `/v2/watches/${body.id}`, without('data:read:*'));
  expect([hidden.status, hidden.body.code]).toEqual([404, 'watch.not_found']);
  const { items } = (await api.call('GET', '/v2/watches', without('data:read:*'))).body;
  expect(items.filter(({ scope }: { scope: { dataset?: string } }) => scope.dataset !== undefined)).toEqual([]);
});

test('changes say which version they mean, of two one wins, and each is noted', async () => {
  const { body, headers } = await create();
  const path = `/v2/watches/${body.id}`;
  const change = (patch: object, more: Record<string, string> = {}) =>
    api.call('PATCH', path, { body: patch, headers: more });
  expect((await change({ period: 'P1D' })).status).toBe(428);
  const etag = headers.get('etag') ?? '';
  const replies = await Promise.all(['P1D', 'P2D'].map((period) => change({ period }, { 'if-match': etag })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect((await change({ period: 'x' }, { 'if-match': '*' })).body.code).toBe('watch.invalid');
  expect((await api.call('POST', `${path}/pause`)).body).toMatchObject({ state: 'paused' });
  const { history } = (await api.call('POST', `${path}/resume`)).body;
  expect(history.map(({ changed }: { changed: string[] }) => changed)).toEqual([
    ['period'],
    ['state: paused'],
    ['state: active'],
  ]);
});

test('events of the platform are watched by those who may read them, by types and fields that they have', async () => {
  const scope = { stream: 'pipeline', types: ['pipeline.run.succeeded'], filter: 'pipeline == wine' };
  const wanted = { name: 'runs', scope, each: 'set', period: 'P1D', arm_at: 'creation' };
  const made = await api.call('POST', '/v2/watches', { body: wanted });
  expect([made.status, made.body]).toMatchObject([201, { scope, each: 'set', period: 'P1D' }]);
  const path = `/v2/watches/${made.body.id}`;
  const others = ['watches:read', 'watches:write', 'data:read:*'];
  expect((await api.call('POST', '/v2/watches', { body: wanted, as: others })).status).toBe(403);
  expect((await api.call('GET', path, { as: others })).status).toBe(404);
  const listed = (await api.call('GET', '/v2/watches', { as: others })).body.items;
  expect(listed.map(({ id }: { id: string }) => id)).not.toContain(made.body.id);
  const refused = async (more: object, each = 'set') =>
    (await api.call('POST', '/v2/watches', { body: { ...wanted, each, scope: { ...scope, ...more } } })).body;
  expect(await refused({ by: 'model_name' }, 'entity')).toMatchObject({ state: 'active', scope: { by: 'model_name' } });
  for (const by of ['number', 'colour']) {
    expect(await refused({ by }, 'entity')).toMatchObject({
      code: 'watch.invalid',
      errors: [{ pointer: '/scope/by' }],
    });
  }
  expect(await refused({ types: ['pipeline.run.succeeded', 'pipeline.run.sung'] })).toMatchObject({
    code: 'watch.invalid',
    errors: [{ pointer: '/scope/types/1' }],
  });
  expect(await refused({ types: ['dataset.positions.created'] })).toMatchObject({ code: 'watch.invalid' });
  expect(await refused({ filter: 'colour == red' })).toMatchObject({ code: 'filter.invalid' });
  expect((await api.call('GET', `${path}/explain?entity=1`)).body.code).toBe('parameter.invalid');
  expect((await api.call('DELETE', path)).status).toBe(204);
});

test('a watch that was removed is unknown', async () => {
  const { body } = await create();
  const path = `/v2/watches/${body.id}`;
  expect((await api.call('DELETE', path)).status).toBe(204);
  for (const [method, end] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['GET', '/gaps'],
    ['GET', '/explain?entity=1'],
  ] as const) {
    expect((await api.call(method, `${path}${end}`)).body).toMatchObject({ code: 'watch.not_found' });
  }
});

test('explain gives the state of an entity, and the reason', async () => {
  const { body } = await create({ grace: 'PT6H' });
  const explain = async (entity: string) =>
    (await api.call('GET', `/v2/watches/${body.id}/explain?entity=${entity}`)).body;
  const row = (await api.call('GET', '/v2/positions/1')).body;
  const since = Date.parse(row.updated_at);
  const later = (ms: number): string => new Date(since + ms).toISOString();
  expect(await explain('1')).toMatchObject({
    state: 'armed',
    gap_id: `${body.id}/1/1`,
    last_changed_at: row.updated_at,
    deadline: later(14 * 86_400_000),
    absent_at: later(14 * 86_400_000 + 6 * 3_600_000),
    // language: `told` is a field of the wire format
    told: [],
  });
  expect(await explain('2')).toMatchObject({ state: 'out', why: 'the filter of the scope does not match the entity' });
  expect(await explain('3')).toMatchObject({ state: 'out', why: 'positions has no entity 3' });
  expect(await explain('x')).toMatchObject({ code: 'id.malformed' });
  expect((await api.call('GET', `/v2/watches/${body.id}/explain`)).body.code).toBe('parameter.invalid');
});

test('explain of a whole set of rows says what its evaluator knows, and whether a row counts', async () => {
  const { body } = await create({ each: 'set', grace: 'PT6H' });
  const explain = async (query = '') => (await api.call('GET', `/v2/watches/${body.id}/explain${query}`)).body;
  expect(await explain()).toMatchObject({ entity_id: 'set', state: 'unknown', log_at: null });
  const at = '2026-02-11T00:00:00.000Z';
  const since = Date.now() - 86_400_000;
  const later = (ms: number): string => new Date(since + ms).toISOString();
  type Set = NonNullable<Awaited<ReturnType<typeof api.watching.states.get>>>['set'];
  const say = (set: Set) => {
    const evaluation = { position: 9, log_at: at, armed: 1, next_due_at: null, updated_at: at };
    return api.watching.states.put(body.id, { state: 'watching', ...evaluation, ...(set && { set }) });
  };
  await say({ state: 'waiting', gap: 0, since: 0 });
  expect(await explain()).toMatchObject({ state: 'waiting' });
  await say({ state: 'armed', gap: 7, since });
  const armed = {
    // language: `told` is a field of the wire format
    ...{ watch: body.id, entity_id: 'set', log_at: at, state: 'armed', why: 'the period goes on', told: [] },
    ...{ gap_id: `${body.id}/set/7`, gap_version: 7, last_changed_at: later(0) },
    ...{ deadline: later(14 * 86_400_000), absent_at: later(14 * 86_400_000 + 6 * 3_600_000) },
  };
  expect(await explain('?entity=set')).toEqual(armed);
  expect(await explain('?entity=1')).toEqual({ ...armed, row: { id: '1', in_scope: true } });
  const filled = { id: '2', in_scope: false, why: 'the filter of the scope does not match the entity' };
  expect(await explain('?entity=2')).toEqual({ ...armed, row: filled });
  expect(await explain('?entity=x')).toMatchObject({ code: 'id.malformed' });
  await say({ state: 'armed', gap: 7, since: since - 30 * 86_400_000 });
  // language: `told` is a field of the wire format
  expect(await explain()).toMatchObject({ state: 'unknown', told: [] });
  await api.watching.gapEvents.stream.publish({
    ...{ key: `watch/${body.id}/set/7/absent`, type: 'watch.absent', source: `/v2/watches/${body.id}` },
    ...{ subject: `${body.id}/set`, version: 7, at, data: '{}' },
  });
  // language: `told` is a field of the wire format
  expect(await explain()).toMatchObject({ state: 'absent', told: ['absent'] });
  await say({ state: 'over', gap: 7, since });
  // language: `told` is a field of the wire format
  expect(await explain()).toMatchObject({ state: 'over', told: ['absent'] });
  expect((await api.call('GET', `/v2/watches/${body.id}`)).body.evaluation).not.toHaveProperty('set');
  expect((await api.call('DELETE', `/v2/watches/${body.id}`)).status).toBe(204);
});

test('emitted events are listed, the newest first, page by page, and explain includes them', async () => {
  const { body } = await create();
  const other = await create();
  const publish = (watch: string, entity: number, kind: string) =>
    api.watching.gapEvents.stream.publish({
      key: `watch/${watch}/${entity}/1/${kind}`,
      type: `watch.${kind}`,
      source: `/v2/watches/${watch}`,
      subject: `${watch}/${entity}`,
      version: 1,
      at: '2026-02-11T00:00:00.000Z',
      data: JSON.stringify({ watch, entity_id: String(entity) }),
    });
  for (let entity = 1; entity <= 5; entity += 1) {
    await publish(body.id, entity, 'absent');
    await publish(other.body.id, entity, 'absent');
  }
  const page = async (query: string) => (await api.call('GET', `/v2/watches/${body.id}/gaps?${query}`)).body;
  const first = await page('page_size=3');
  expect(first.items.map(({ entity_id }: { entity_id: string }) => entity_id)).toEqual(['5', '4', '3']);
  const second = await page(first.next);
  expect(second.items.map(({ type, entity_id }: { type: string; entity_id: string }) => [type, entity_id])).toEqual([
    ['watch.absent', '2'],
    ['watch.absent', '1'],
  ]);
  expect(second.next).toBeUndefined();
  const explained = await api.call('GET', `/v2/watches/${body.id}/explain?entity=1`);
  // language: `told` is a field of the wire format
  expect(explained.body).toMatchObject({ state: 'absent', told: ['absent'] });
});

test('explain tells a gap that is not watched any more from one that a pause skipped', async () => {
  const { body: once } = await create({ rearm: { mode: 'never' } });
  const { watches, gapEvents } = api.watching;
  const explain = async (watch: string, entity: string) =>
    (await api.call('GET', `/v2/watches/${watch}/explain?entity=${entity}`)).body;
  await api.call('PUT', '/v2/positions/77', { body: { status: 'Open', title: 'first' } });
  expect(await explain(once.id, '77')).toMatchObject({ state: 'armed', gap_version: 1 });
  await gapEvents.stream.publish({
    ...{ key: `watch/${once.id}/77/1/absent`, type: 'watch.absent', source: `/v2/watches/${once.id}` },
    ...{ subject: `${once.id}/77`, version: 1, at: '2026-02-11T00:00:00.000Z', data: '{}' },
  });
  expect(await explain(once.id, '77')).toMatchObject({ state: 'absent' });
  await api.call('PUT', '/v2/positions/77', {
    body: { status: 'Open', title: 'second' },
    headers: { 'if-match': '*' },
  });
  expect(await explain(once.id, '77')).toMatchObject({ state: 'over', gap_version: 2 });

  const { body: skipping } = await create({ on_resume: 'skip', period: 'PT1S' });
  const since = Date.parse((await api.call('GET', '/v2/positions/77')).body.updated_at);
  const turn = (at: number, state: string) => ({
    ...{ generation: 1, at: new Date(at).toISOString(), actor: 'ana', changed: [`state: ${state}`] },
  });
  const pauseFor = (from: number, until: number) =>
    watches.update(skipping.id, (each) => ({
      ...each,
      status: { ...each.status, history: [turn(from, 'paused'), turn(until, 'active')] },
    }));
  await until('the time to pass', async () => Date.now() > since + 1_100);
  expect(await explain(skipping.id, '77')).toMatchObject({ state: 'unknown' });
  await pauseFor(since + 500, since + 1_050);
  expect(await explain(skipping.id, '77')).toMatchObject({ state: 'skipped' });
  await pauseFor(since + 100, since + 900);
  expect(await explain(skipping.id, '77')).toMatchObject({ state: 'unknown' });
});

test('a subscription can name what watches tell, if it may read all they can be about', async () => {
  const subscribe = (as: readonly string[]) =>
    api.call('POST', '/v2/subscriptions', {
      as,
      body: {
        name: 'quiet',
        url: 'https://hr.example/hooks',
        types: ['watch.absent', 'watch.resumed'],
        filter: 'dataset == positions',
      },
    });
  const { status, body } = await subscribe(ALL_SCOPES);
  expect([status, Object.keys(body.starts_at)]).toEqual([201, ['watch']]);
  const narrow = await subscribe(['subscriptions:write', 'watches:read', 'data:read:positions']);
  expect(narrow.body).toMatchObject({ code: 'auth.scope', scope: 'data:read:*' });
});

test('at most a million entities are watched', async () => {
  const { body } = await create();
  const evaluation = { state: 'watching' as const, position: 1, log_at: null, next_due_at: null };
  const updated_at = '2026-02-11T00:00:00.000Z';
  await api.watching.states.put(body.id, { ...evaluation, armed: 1_000_000, updated_at });
  expect((await create()).body).toMatchObject({ code: 'watch.too_many' });
  expect((await create({ scope: { dataset: 'positions', filter: 'title == Vacant' } })).status).toBe(201);
  await api.watching.states.put(body.id, { ...evaluation, armed: 1, updated_at });
});
