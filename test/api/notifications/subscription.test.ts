import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseVerifyingKey } from '../../../notifications/delivery/signing-keys.js';
import { KEYS_KNOWN_MS } from '../../../notifications/kinds/subscription.js';
import { startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const fields = { title: { type: 'text' }, status: { type: 'enum', values: ['Open', 'Filled'] } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
  await api.call('PUT', '/v2/positions/1', { body: { title: 'Crane operator', status: 'Open' } });
});
afterAll(() => api.stop());

const URL_OK = 'https://hr.example/hooks/slipway';
const wanted = (more: object = {}) => ({
  name: 'hr-sync',
  url: URL_OK,
  types: ['dataset.positions.updated'],
  filter: 'changed(status) and old.status == Open',
  ...more,
});
const create = (more: object = {}, call: object = {}) =>
  api.call('POST', '/v2/subscriptions', { body: wanted(more), ...call });

test('a subscription begins with what happens next; its secret is shown once and nowhere else', async () => {
  const { version } = (await api.call('GET', '/v2/datasets/positions')).body.status;
  const { status, body, headers } = await create();
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v2/subscriptions/${body.id}`);
  expect(parseVerifyingKey(body.secret)).toMatchObject({ kind: 'hmac' });
  expect(body).toMatchObject({
    state: 'active',
    level: { proven: 'L0' },
    guarantee: { text: expect.stringMatching(/^Each acknowledged change that matches makes one notice/) },
    starts_at: { positions: version },
    ordering: { mode: 'entity', max_block: 'PT1H' },
    counts: { pending: 0, held: 0 },
  });
  const shown = await api.call('GET', `/v2/subscriptions/${body.id}`);
  expect(shown.body).toEqual({ ...body, secret: undefined });
  expect(JSON.stringify(shown.body)).not.toContain('whsec_');
  expect(api.lines.join('')).not.toContain('whsec_');
  const listed = await api.call('GET', '/v2/subscriptions');
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toContain(body.id);
  expect(api.started).toEqual([]); // its first event wakes it
});

test.each([
  [{ types: ['dataset.positions.promoted'] }, 400, 'type.unknown', '/types/0'],
  [{ types: ['positions.updated'] }, 400, 'type.unknown', '/types/0'],
  [{ types: [] }, 422, 'entity.invalid', '/types'],
  [{ url: 'hr.example' }, 400, 'url.malformed', '/url'],
  [{ url: 'http://hr.example/' }, 422, 'url.not_allowed', '/url'],
  [{ url: 'https://127.0.0.1/' }, 422, 'url.not_allowed', '/url'],
  [{ url: 'https://[::ffff:10.0.0.1]/' }, 422, 'url.not_allowed', '/url'],
  [{ url: 'https://hr.internal/' }, 422, 'url.not_allowed', '/url'],
  [{ url: null }, 422, 'entity.invalid', '/url'],
  [{ mode: 'pull' }, 422, 'entity.invalid', '/url'],
  [{ receipt_url: 'https://other.example/' }, 422, 'url.not_allowed', '/receipt_url'],
  [{ headers: { Host: 'x' } }, 422, 'entity.invalid', '/headers/Host'],
  [{ headers: { 'webhook-id': 'x' } }, 422, 'entity.invalid', '/headers/webhook-id'],
  [{ headers: { 'x-a': 'b\r\nx: y' } }, 422, 'entity.invalid', '/headers/x-a'],
  [{ schedule: [0, -1] }, 400, 'schedule.invalid', '/schedule/1'],
  [{ schedule: Array(24).fill(86_400) }, 400, 'schedule.invalid', '/schedule'],
  [{ schedule: [], surprise: 1 }, 422, 'entity.invalid', '/schedule'],
  [{ rate: { per_second: 0 } }, 422, 'entity.invalid', '/rate/per_second'],
  [{ ordering: { max_block: 'soon' } }, 422, 'entity.invalid', '/ordering/max_block'],
  [{ surprise: 1 }, 422, 'entity.invalid', ''],
])('%j is refused with %d and a pointer', async (more, status, code, pointer) => {
  const reply = await create(more);
  expect([reply.status, reply.body.code]).toEqual([status, code]);
  expect(reply.body.errors[0].pointer ?? '').toBe(pointer);
});

test('a filter that does not fit is refused with its place', async () => {
  const { status, body } = await create({ filter: 'changed(salary)' });
  expect([status, body.code]).toEqual([400, 'filter.invalid']);
  expect(body.errors[0]).toMatchObject({ code: 'filter.unknown_field', position: { offset: 0, length: 15 } });
});

test('a subscription needs the read scope of its events', async () => {
  const as = ['subscriptions:write', 'data:read:skills'];
  expect((await create({}, { as })).body).toMatchObject({ code: 'auth.scope', scope: 'data:read:positions' });
  expect((await create({}, { as: ['data:read:*'] })).body).toMatchObject({ scope: 'subscriptions:write' });
  const unknown = await create({ types: ['dataset.planets.*'] });
  expect([unknown.status, unknown.body.code]).toEqual([404, 'dataset.not_found']);
});

test('what happens on the platform can be named beside changes of data, and takes a scope of its own', async () => {
  const types = ['dataset.positions.updated', 'pipeline.training.*', 'pipeline.deployment.ready'];
  const { status, body } = await create({ types, filter: 'changed(status)' });
  expect([status, body.starts_at]).toEqual([201, { positions: expect.any(Number), pipeline: 0 }]);
  expect(body.filter_applies_to).toEqual(['dataset.positions.updated']);
  const other = await create({ types, filter: 'model_name == wine' });
  const trainings = ['started', 'succeeded', 'failed', 'cancelled'].map((word) => `pipeline.training.${word}`);
  expect(other.body.filter_applies_to).toEqual([...trainings, 'pipeline.deployment.ready']);
  expect((await create({ types, filter: 'salary == 1' })).body).toMatchObject({ code: 'filter.invalid' });
  const bad = await create({ types, filter: 'version == soon' });
  expect(bad.body.errors[0]).toMatchObject({ code: 'filter.bad_type' });
  const as = ['subscriptions:write', 'data:read:*'];
  expect((await create({ types, filter: null }, { as })).body).toMatchObject({ scope: 'pipelines:read' });
  const unknown = await create({ types: ['pipeline.training.eaten'] });
  expect([unknown.status, unknown.body.code]).toEqual([400, 'type.unknown']);
});

test('changes say which version they mean, and of two one wins', async () => {
  const { body, headers } = await create();
  const path = `/v2/subscriptions/${body.id}`;
  const rename = (name: string, headers: Record<string, string> = {}) =>
    api.call('PATCH', path, { body: { name }, headers });
  expect((await rename('a')).status).toBe(428);
  const etag = headers.get('etag') ?? '';
  const replies = await Promise.all([rename('a', { 'if-match': etag }), rename('b', { 'if-match': etag })]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
  const bad = await api.call('PATCH', path, { body: { types: ['x'] }, headers: { 'if-match': '*' } });
  expect(bad.body.code).toBe('type.unknown');
});

test('an edit says from where on it counts, also when its maker died before that was stored', async () => {
  const { body, headers } = await create();
  const path = `/v2/subscriptions/${body.id}`;
  expect(body.effective_after).toEqual(body.starts_at);
  await api.call('PUT', '/v2/positions/77', { body: { title: 'T', status: 'Open' } });
  const position = body.starts_at.positions + 1;
  const edited = await api.call('PATCH', path, {
    body: { filter: 'status == Open', types: ['dataset.positions.created', 'pipeline.run.failed'] },
    headers: { 'if-match': headers.get('etag') ?? '' },
  });
  expect(edited.body).toMatchObject({
    starts_at: body.starts_at,
    effective_after: { positions: position, pipeline: 0 },
  });
  expect(edited.headers.get('etag')).toBe((await api.call('GET', path)).headers.get('etag'));
  await api.subscriptions.update(body.id, (each) => ({ ...each, generation: each.generation + 1 }));
  await api.call('PUT', '/v2/positions/78', { body: { title: 'T', status: 'Open' } });
  const read = await api.call('GET', path);
  expect(read.body.effective_after).toEqual({ positions: position, pipeline: 0 });
  expect((await api.call('GET', path)).text).toBe(read.text);
});

test('it can be paused, resumed and removed, and is then unknown', async () => {
  const { body } = await create();
  const path = `/v2/subscriptions/${body.id}`;
  expect((await api.call('POST', `${path}/pause`)).body).toMatchObject({ state: 'paused' });
  expect((await api.call('POST', `${path}/resume`)).body).toMatchObject({ state: 'active' });
  expect((await api.call('DELETE', path)).status).toBe(204);
  for (const [method, end] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['GET', '/deliveries'],
  ] as const) {
    expect((await api.call(method, `${path}${end}`)).body).toMatchObject({ code: 'subscription.not_found' });
  }
});

test('keys rotate with an overlap, at most five sign, and the last one stays', async () => {
  const { body } = await create();
  const path = `/v2/subscriptions/${body.id}/secrets`;
  const second = await api.call('POST', path, { body: { kind: 'ed25519', overlap: 'PT1H' } });
  expect(second.status).toBe(201);
  expect(parseVerifyingKey(second.body.secret)).toMatchObject({ kind: 'ed25519' });
  expect(second.body.keys.map(({ kind }: { kind: string }) => kind)).toEqual(['ed25519', 'hmac']);
  const hour = Date.parse(second.body.keys[1].expires_at) - Date.now();
  expect(hour).toBeGreaterThan(3_500_000);
  for (let n = 0; n < 3; n += 1) expect((await api.call('POST', path)).status).toBe(201);
  expect((await api.call('POST', path)).body.code).toBe('secret.too_many');
  const alone = await api.call('POST', path, { body: { overlap: 'PT0S' } });
  expect(alone.body.keys).toHaveLength(1);
  expect((await api.call('DELETE', `${path}/${alone.body.keys[0].kid}`)).body.code).toBe('secret.last');
  expect((await api.call('DELETE', `${path}/k_none`)).body.code).toBe('key.not_found');
  expect((await api.call('POST', path, { body: { overlap: 'P1Y' } })).status).toBe(422);
});

test('a change of keys is answered when every worker has read it, and a refused one at once', async () => {
  const { body } = await create();
  const path = `/v2/subscriptions/${body.id}/secrets`;
  const { body: added } = await api.call('POST', path, { body: { kind: 'ed25519' } });
  const stored = [`wake ${body.id}`, `sleep ${KEYS_KNOWN_MS}`];
  expect(api.started.slice(-2)).toEqual(stored);
  api.started.length = 0;
  expect((await api.call('DELETE', `${path}/${added.keys[1].kid}`)).status).toBe(204);
  expect(api.started).toEqual(stored);
  expect((await api.call('DELETE', `${path}/${added.keys[0].kid}`)).body.code).toBe('secret.last');
  expect(api.started).toEqual(stored);
});

test('an unknown delivery is 404, whatever its number looks like', async () => {
  const { body } = await create();
  for (const sequence of ['0', '1', '-1', '1.5', 'x', '99999999999999999999']) {
    const reply = await api.call('GET', `/v2/subscriptions/${body.id}/deliveries/${sequence}`);
    expect(reply.body.code).toBe('delivery.not_found');
  }
  const list = await api.call('GET', `/v2/subscriptions/${body.id}/deliveries?page_size=5`);
  expect(list.body).toEqual({ items: [] });
});

test('people decide about single notices, and whoever delivers hears of it', async () => {
  const { body } = await create({ on_ambiguous: 'hold' });
  const { id } = body;
  const at = new Date().toISOString();
  const notices = [1, 2, 3].map((sequence) => {
    const event = { specversion: '1.0', id: `evt_${sequence}` };
    const about = `positions/${sequence}`;
    const named = { id: `ntc_${sequence}`, eventId: event.id, type: 'dataset.positions.updated', about };
    return { sequence, ...named, body: JSON.stringify(event) };
  });
  await api.outbox.insert(id, { block: 1, from: 1, notices, sources: {}, at, token: 't' });
  await api.progress.put(id, {
    ...{
      block: 1,
      sequence: 3,
      sources: {},
      loadedThrough: 3,
      loadedBlock: 1,
      open: [],
      interventions: 0,
      touched: [],
    },
    ...{ counts: { pending: 3, held: 0, delivered: 0, failed: 0, cancelled: 0 }, breaker: {}, at },
  });
  for (const sequence of [1, 2]) {
    const key = { subscription: id, sequence };
    await api.ledger.begin(key, { number: 1, episode: 0, owner: 'o', startedAt: at, deadline: at });
    await api.ledger.end(key, 1, { outcome: 'ambiguous', at });
  }
  const act = (sequence: number, word: string) =>
    api.call('POST', `/v2/subscriptions/${id}/deliveries/${sequence}/${word}`);
  const list = await api.call('GET', `/v2/subscriptions/${id}/deliveries`);
  expect(list.body.items.map(({ state }: { state: string }) => state)).toEqual(['pending', 'held', 'held']);
  expect((await act(1, 'confirm')).body).toMatchObject({ state: 'delivered', by: 'operator' });
  expect((await act(1, 'confirm')).body.code).toBe('delivery.not_held');
  expect((await act(2, 'resend')).body).toMatchObject({ state: 'pending' });
  expect((await act(2, 'resend')).body.code).toBe('delivery.in_flight');
  expect((await act(3, 'confirm')).body.code).toBe('delivery.not_held');
  expect((await act(3, 'cancel')).body).toMatchObject({ state: 'cancelled', by: 'operator' });
  expect((await act(9, 'cancel')).body.code).toBe('delivery.not_found');
  expect(await api.interventions.read(id, 0)).toMatchObject({ sequences: [1, 2, 3], position: 3 });
  // Once for each action, and once more for each repeated action that the sender has not read.
  expect(api.started.filter((line) => line === `wake ${id}`)).toHaveLength(3 + 2);
  const exact = await api.call('GET', `/v2/subscriptions/${id}/deliveries/2/request`);
  expect(exact.text).toBe(notices[1]?.body);
  const asked = { headers: { accept: 'message/http' } };
  const request = await api.call('GET', `/v2/subscriptions/${id}/deliveries/2/request`, asked);
  expect(request.headers.get('content-type')).toBe('message/http');
  const [head, sent] = request.text.split('\r\n\r\n');
  expect(sent).toBe(notices[1]?.body);
  expect(head?.split('\r\n')).toEqual([
    'POST /hooks/slipway HTTP/1.1',
    'host: hr.example',
    'content-type: application/cloudevents+json',
    `content-length: ${Buffer.byteLength(sent ?? '')}`,
    'user-agent: Slipway/0.0.0',
    'slipway-attempt: 1',
    `webhook-id: ${notices[1]?.id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(at) / 1_000)}`,
    'webhook-signature: v1,...',
  ]);
  const unsent = await api.call('GET', `/v2/subscriptions/${id}/deliveries/3/request`, asked);
  expect(unsent.body).toMatchObject({ code: 'delivery.not_found' });
  const whole = await api.call('GET', `/v2/subscriptions/${id}/deliveries/2`);
  expect(whole.text).toContain(`"event":${notices[1]?.body}`);
  const as = ['subscriptions:read'];
  for (const path of ['2', '2/request']) {
    const reply = await api.call('GET', `/v2/subscriptions/${id}/deliveries/${path}`, { as });
    expect([reply.status, reply.body.code]).toEqual([404, 'subscription.not_found']);
  }
  expect((await api.call('POST', `/v2/subscriptions/${id}/deliveries/2/cancel`, { as })).status).toBe(403);
});

test('an API key changes the settings and secrets of its own subscriptions only', async () => {
  const scopes = ['subscriptions:read', 'subscriptions:write', 'data:read:*'];
  const issue = async (name: string) => (await api.call('POST', '/v2/keys', { body: { name, scopes } })).body;
  const [mine, other] = [await issue('mine'), await issue('other')];
  const { body } = await create({}, { key: mine.secret });
  const path = `/v2/subscriptions/${body.id}`;
  expect(body.owner).toBe(`key:${mine.id}`);
  const headers = { 'if-match': '*' };
  const calls = [
    ['PATCH', path, { body: { name: 'taken' }, headers }],
    ['DELETE', path, { headers }],
    ['POST', `${path}/secrets`, {}],
    ['DELETE', `${path}/secrets/${body.keys[0].kid}`, {}],
  ] as const;
  for (const [method, target, options] of calls) {
    const refused = await api.call(method, target, { ...options, key: other.secret });
    expect([refused.status, refused.body.code]).toEqual([403, 'subscription.not_owner']);
  }
  expect((await api.call('GET', path, { key: other.secret })).status).toBe(200);
  const { records } = await api.audit.list({ entityId: body.id, action: 'denied' }, { limit: 10 });
  expect(records).toHaveLength(4);
  expect((await api.call('POST', `${path}/secrets`, { key: mine.secret })).status).toBe(201);
  const etag = (await api.call('GET', path)).headers.get('etag') ?? '';
  const patched = await api.call('PATCH', path, { body: { name: 'by a person' }, headers: { 'if-match': etag } });
  expect(patched.status).toBe(200);
});

test('a subscription that a pipeline owns is shown with its owner, and changed only by its pipeline', async () => {
  const { body } = await create();
  const owner = { pipeline: 'wine', uid: 'uid', generation: 1 };
  await api.subscriptions.update(body.id, (each) => ({ ...each, status: { ...each.status, owner } }));
  const path = `/v2/subscriptions/${body.id}`;
  const shown = await api.call('GET', path);
  expect(shown.body.owner).toBe('pipeline/wine');
  const listed = (await api.call('GET', '/v2/subscriptions')).body.items as { id: string; owner?: string }[];
  expect(listed.find(({ id }) => id === body.id)?.owner).toBe('pipeline/wine');
  const headers = { 'if-match': shown.headers.get('etag') ?? '' };
  const kid = shown.body.keys[0].kid as string;
  const refused = [
    await api.call('PATCH', path, { body: { name: 'other' }, headers }),
    await api.call('DELETE', path, { headers }),
    await api.call('POST', `${path}/secrets`, {}),
    await api.call('DELETE', `${path}/secrets/${kid}`, {}),
  ];
  for (const { status, body: problem } of refused) {
    expect([status, problem.code]).toEqual([409, 'subscription.owned']);
    expect(problem.detail).toBe('pipeline "wine" owns the subscription: change notify of the pipeline instead');
  }
  expect((await api.call('GET', path)).body).toEqual(shown.body);
  expect((await api.call('POST', `${path}/pause`)).body.state).toBe('paused');
  expect((await api.call('POST', `${path}/resume`)).body.state).toBe('active');
});
