import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSameWays } from './same-ways.js';
import { newId, storeSkill } from './stored-skill.js';
import { declareAll, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
});
afterAll(() => api.stop());

const stored = (body?: object) => storeSkill(api, body);

test('an entity is stored and answered with its exact id, times, tag and freshness', async () => {
  const { id, path, reply } = await stored({ name: 'Welding', level: 3 });
  expect(reply.headers.get('location')).toBe(path);
  const read = await api.call('GET', path);
  expect(read.status).toBe(200);
  expect(read.text).toBe(reply.text);
  expect(read.body).toEqual({
    id,
    name: 'Welding',
    level: 3,
    version: 1,
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    updated_at: read.body.created_at,
  });
  expect(read.headers.get('etag')).toBe('"1.1.0"');
  expect(read.headers.get('etag')).toBe(reply.headers.get('etag'));
  expect(Number(read.headers.get('slipway-version'))).toBe(Number(reply.headers.get('slipway-version')));
  expect(Date.parse(read.headers.get('slipway-as-of') ?? '')).not.toBeNaN();
  expect(Number(read.headers.get('slipway-lag-ms'))).toBeGreaterThanOrEqual(0);
  expect(read.headers.get('cache-control')).toBe('private, max-age=0, must-revalidate');
});

test('a known tag answers 304 without body; another form of the answer has another tag', async () => {
  const { id, path, etag } = await stored();
  const known = await api.call('GET', path, { headers: { 'if-none-match': `"x", W/${etag}` } });
  expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag]);
  const numbers = await api.call('GET', path, {
    headers: { accept: 'application/json; ids=number', 'if-none-match': etag },
  });
  expect(numbers.status).toBe(200);
  expect(numbers.text).toContain(`{"id":${id},`);
  expect(numbers.headers.get('etag')).not.toBe(etag);
});

test('a write names the version that it means', async () => {
  const { path, etag } = await stored();
  const blind = await api.call('PUT', path, { body: { name: 'Blind' } });
  expect([blind.status, blind.body.code, blind.body.etag]).toEqual([428, 'write.precondition_required', etag]);
  const second = await api.call('PUT', path, { body: { name: 'Second' }, headers: { 'if-match': etag } });
  expect([second.status, second.body.version]).toEqual([200, 2]);
  const stale = await api.call('PUT', path, { body: { name: 'Third' }, headers: { 'if-match': etag } });
  expect([stale.status, stale.body.code, stale.body.etag]).toEqual([
    412,
    'write.precondition',
    second.headers.get('etag'),
  ]);
  const created = await api.call('PUT', path, { body: { name: 'New' }, headers: { 'if-none-match': '*' } });
  expect(created.status).toBe(412);
  const either = await api.call('PATCH', path, {
    body: { level: 4 },
    headers: { 'if-match': `"9.9.z", ${second.headers.get('etag')}` },
  });
  expect(either.body).toMatchObject({ name: 'Second', level: 4, version: 3 });
  const none = await api.call('PUT', `/v2/skills/${newId()}`, { body: { name: 'x' }, headers: { 'if-match': '*' } });
  expect(none.status).toBe(412);
});

test('of writers that mean the same version one wins', async () => {
  const { path, etag } = await stored();
  const race = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      api.call('PUT', path, { body: { name: `w${n}` }, headers: { 'if-match': etag } }),
    ),
  );
  const statuses = race.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 412)]);
});

test('equal content writes nothing', async () => {
  const { path, etag, reply } = await stored({ name: 'Same', level: 1 });
  const again = await api.call('PUT', path, { body: { level: 1, name: 'Same' }, headers: { 'if-match': etag } });
  expect([again.status, again.headers.get('etag'), again.text]).toEqual([200, etag, reply.text]);
  expect(again.headers.get('slipway-version')).toBe(reply.headers.get('slipway-version'));
});

test('a merge patch changes and takes away', async () => {
  const { path, etag } = await stored({ name: 'Patch me', level: 1 });
  const headers = { 'if-match': etag, 'content-type': 'application/merge-patch+json' };
  const reply = await api.call('PATCH', path, { raw: '{"level":null,"name":"Patched"}', headers });
  expect(reply.body).toEqual({ ...reply.body, name: 'Patched', version: 2 });
  expect(reply.body).not.toHaveProperty('level');
  expect((await api.call('PATCH', `/v2/skills/${newId()}`, { body: {} })).body.code).toBe('entity.not_found');
});

test('a deleted entity is gone with its time, and comes back as its next version', async () => {
  const { path, etag, reply } = await stored();
  expect((await api.call('DELETE', path)).status).toBe(428);
  const gone = await api.call('DELETE', path, { headers: { 'if-match': etag } });
  expect([gone.status, gone.text]).toEqual([204, '']);
  const read = await api.call('GET', path);
  expect([read.status, read.body.code]).toEqual([410, 'entity.deleted']);
  expect(read.body.deleted_at >= reply.body.updated_at).toBe(true);
  expect((await api.call('DELETE', path)).status).toBe(410);
  const back = await api.call('PUT', path, { body: { name: 'Back' } });
  expect([back.status, back.body.version]).toEqual([201, 3]);
});

test('an earlier version of the dataset stays readable', async () => {
  const { path, etag, reply } = await stored({ name: 'Before' });
  const version = reply.headers.get('slipway-version');
  await api.call('PUT', path, { body: { name: 'After' }, headers: { 'if-match': etag } });
  expect((await api.call('GET', `${path}?as_of=${version}`)).body.name).toBe('Before');
  expect((await api.call('GET', path)).body.name).toBe('After');
  expect((await api.call('GET', `${path}?as_of=${Number(version) - 1}`)).status).toBe(404);
  expect((await api.call('GET', `${path}?as_of=99999999`)).body.code).toBe('version.unknown');
  expect((await api.call('GET', `${path}?as_of=x`)).body.code).toBe('parameter.invalid');
});

test('a read can wait for its own write', async () => {
  const { path, reply } = await stored();
  const version = reply.headers.get('slipway-version') ?? '';
  expect((await api.call('GET', path, { headers: { 'slipway-min-version': version } })).status).toBe(200);
  const never = await api.call('GET', path, { headers: { 'slipway-min-version': '99999999' } });
  expect([never.status, never.body.code]).toEqual([404, 'version.unknown']);
});

test('a new entity gets an id of ours, and a repeat of the call the same', async () => {
  const headers = { 'idempotency-key': `create-${newId()}` };
  const [first, again] = [
    await api.call('POST', '/v2/skills', { body: { name: 'New' }, headers }),
    await api.call('POST', '/v2/skills', { body: { name: 'New' }, headers }),
  ];
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.text).toBe(first.text);
  expect(first.headers.get('location')).toBe(`/v2/skills/${first.body.id}`);
  const other = await api.call('POST', '/v2/skills', { body: { name: 'Other' }, headers });
  expect([other.status, other.body.code]).toEqual([422, 'idempotency.mismatch']);
  const next = await api.call('POST', '/v2/skills', { body: { name: 'New' } });
  expect(BigInt(next.body.id) > 2n ** 53n).toBe(true);
  expect(next.body.id).not.toBe(first.body.id);
});

test('a PUT that is repeated with its key answers as the first time', async () => {
  const path = `/v2/skills/${newId()}`;
  const headers = { 'if-none-match': '*', 'idempotency-key': `put-${newId()}` };
  const first = await api.call('PUT', path, { body: { name: 'Once' }, headers });
  const again = await api.call('PUT', path, { body: { name: 'Once' }, headers });
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
  expect((await api.call('PUT', path, { body: { name: 'Else' }, headers })).status).toBe(412);
});

test.each(['0', '-5', '+1', '01', '1e3', '1.0', '9223372036854775808', 'abc', '%31', '1%20'])(
  '%s is no id',
  async (id) => {
    const reply = await api.call('GET', `/v2/skills/${id}`);
    expect([reply.status, reply.body.code]).toEqual(id === '%31' ? [404, 'entity.not_found'] : [400, 'id.malformed']);
  },
);

test.each(['1', '9007199254740992', '9007199254740993', '9223372036854775807'])(
  'id %s keeps its digits',
  async (id) => {
    const path = `/v2/positions/${id}`;
    const body = { title: 'Welder', staffing_status: 'Open', customer: { id } };
    const written = await api.call('PUT', path, { body: { id, ...body } });
    expect(written.status).toBe(201);
    expect((await api.call('GET', path)).text).toContain(`"customer":{"id":"${id}"}`);
    const raw = await api.call('GET', path, { headers: { accept: 'application/json; ids=number' } });
    expect(raw.text).toContain(`"customer":{"id":${id}}`);
  },
);

test('everything wrong with a row is listed with its place', async () => {
  const reply = await api.call('PUT', `/v2/positions/${newId()}`, {
    body: { staffing_status: 'Opn', customer: { id: 1.5 }, nmae: 1, skills: [{ id: '12' }] },
  });
  expect([reply.status, reply.body.code]).toEqual([422, 'entity.invalid']);
  expect(reply.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
    '/customer/id',
    '/nmae',
    '/staffing_status',
    '/title',
  ]);
  const reference = await api.call('PUT', `/v2/positions/${newId()}`, {
    body: { title: 'x', staffing_status: 'Open', skills: [{ id: '12' }] },
  });
  expect(reference.body.errors).toEqual([
    { code: 'entity.unknown_reference', pointer: '/skills/0/id', message: 'skills has no entity 12' },
  ]);
  const wrong = await api.call('PUT', `/v2/skills/${newId()}`, { body: { id: '7', name: 'x' } });
  expect(wrong.body.errors[0].pointer).toBe('/id');
});

test.each([
  ['cut off', '{"name":', 'application/json', 400, 'body.malformed'],
  ['empty', '', 'application/json', 400, 'body.malformed'],
  ['a list', '[]', 'application/json', 422, 'entity.invalid'],
  ['null', 'null', 'application/json', 422, 'entity.invalid'],
  ['text', '{"name":"x"}', 'text/plain', 415, 'body.type'],
  ['large', `{"name":"${'x'.repeat(70_000)}"}`, 'application/json', 413, 'body.too_large'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'application/json', 400, 'body.malformed'],
  ['with __proto__', '{"__proto__":{"a":1},"name":"x"}', 'application/json', 422, 'entity.invalid'],
])('a body that is %s is refused', async (_, raw, type, status, code) => {
  const reply = await api.call('PUT', `/v2/skills/${newId()}`, { raw, headers: { 'content-type': type } });
  expect([reply.status, reply.body.code]).toEqual([status, code]);
});

test('an unknown parameter is an error, never ignored', async () => {
  const { path } = await stored();
  expect((await api.call('GET', `${path}?feilds=name`)).body.code).toBe('parameter.unknown');
  expect((await api.call('GET', `${path}?as_of=1&as_of=2`)).body.code).toBe('parameter.invalid');
  expect((await api.call('GET', `${path}?as_of=%E0%A4%A`)).body.code).toBe('parameter.invalid');
  expect((await api.call('GET', path, { headers: { accept: 'text/html' } })).body.code).toBe('accept.unsupported');
  expect((await api.call('GET', '/v2/nothing/1')).body.code).toBe('dataset.not_found');
  expect((await api.call('GET', '/v2/skills/1/2/3')).body.code).toBe('path.not_found');
  const method = await api.call('PATCH', '/v2/keys');
  expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});

test('the short way and the long way to an entity say the same', async () => {
  const { path, etag } = await stored({ name: 'Schweißen ⚒' });
  await expectSameWays(api, path);
  await expectSameWays(api, path, { 'if-none-match': etag });
});

test('HEAD tells of an entity without its bytes', async () => {
  const { path, etag, reply } = await stored();
  const head = await api.call('HEAD', path);
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
  expect(Number(head.headers.get('content-length'))).toBe(reply.text.length);
});
