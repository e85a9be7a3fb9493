import { afterAll, beforeAll, expect, test } from 'vitest';
import { declareAll, SKILLS, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
});
afterAll(() => api.stop());

let count = 0;
const newName = () => `set_${(count += 1)}`;
const put = (name: string, spec: object, query = '', headers: Record<string, string> = {}) =>
  api.call('PUT', `/v2/datasets/${name}${query}`, { body: { kind: 'Dataset', id: name, spec }, headers });
const SPEC = {
  fields: { name: { type: 'text' }, size: { type: 'integer' }, tone: { type: 'enum', values: ['a', 'b'] } },
};

test('a declaration is a resource in the envelope of all resources', async () => {
  const name = newName();
  const created = await put(name, SPEC);
  expect([created.status, created.headers.get('location')]).toEqual([201, `/v2/datasets/${name}`]);
  expect(created.body).toMatchObject({ kind: 'Dataset', id: name, generation: 1, updatedBy: 'tester' });
  expect(created.body.status).toMatchObject({ rows: 0, version: 1 });
  const read = await api.call('GET', `/v2/datasets/${name}`);
  expect(read.body.spec.fields.name.type).toBe('text');
  const known = await api.call('GET', `/v2/datasets/${name}`, {
    headers: { 'if-none-match': read.headers.get('etag') ?? '' },
  });
  expect(known.status).toBe(304);
  expect((await put(name, SPEC)).body.generation).toBe(1);
  const listed = await api.call('GET', '/v2/datasets', { as: [`data:read:${name}`] });
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([name]);
});

test('everything wrong with a declaration is listed with its place', async () => {
  const reply = await put(newName(), { fields: { and: { type: 'text' }, b: { type: 'txt' } } });
  expect([reply.status, reply.body.code]).toEqual([422, 'dataset.invalid']);
  expect(reply.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
    expect.arrayContaining(['/spec/fields/and']),
  );
  const nowhere = await put(newName(), { fields: { a: { type: 'ref', dataset: 'nowhere' } } });
  expect([nowhere.status, nowhere.body.detail]).toEqual([422, 'reference to undeclared dataset: nowhere']);
  for (const name of ['keys', 'datasets', 'problems', 'Big']) expect((await put(name, SPEC)).status).toBe(422);
});

test('a field can always be added, and rows have it at once', async () => {
  const name = newName();
  await put(name, SPEC);
  await api.call('PUT', `/v2/${name}/1`, { body: { name: 'x' } });
  const wider = { fields: { ...SPEC.fields, note: { type: 'text' } } };
  const reply = await put(name, wider);
  expect([reply.status, reply.body.generation]).toEqual([200, 2]);
  expect((await api.call('PUT', `/v2/${name}/2`, { body: { note: 'y' } })).status).toBe(201);
});

test('what is taken back needs force, and rows that allow it', async () => {
  const name = newName();
  await put(name, SPEC);
  await api.call('PUT', `/v2/${name}/1`, { body: { name: '5', size: 5, tone: 'b' } });
  const without = { fields: { size: SPEC.fields.size, tone: SPEC.fields.tone } };
  const narrower = { fields: { ...SPEC.fields, tone: { type: 'enum', values: ['a'] } } };
  for (const spec of [without, narrower]) {
    const asked = await put(name, spec);
    expect([asked.status, asked.body.code]).toEqual([409, 'dataset.schema_conflict']);
    const forced = await put(name, spec, '?force=true');
    expect(forced.body.errors).toEqual([
      { code: 'dataset.schema_conflict', message: `${name} 1 does not fit the new declaration` },
    ]);
  }
  const etag = (await api.call('GET', `/v2/${name}/1`)).headers.get('etag') ?? '';
  const retyped = { fields: { ...SPEC.fields, size: { type: 'id' } } };
  expect((await put(name, retyped, '?force=true')).status).toBe(200);
  const row = await api.call('GET', `/v2/${name}/1`);
  expect(row.text).toContain('"size":"5"'); // an id is written as text
  expect(row.body.version).toBe(1);
  expect(row.headers.get('etag')).not.toBe(etag);
});

test('a field may take another type, and what earlier versions held of the one before stays readable', async () => {
  const name = newName();
  const types = (type: string) => ({
    fields: { code: { type }, codes: { type: 'list', of: { type } }, note: { type: 'text' } },
  });
  await put(name, types('text'));
  await api.call('PUT', `/v2/${name}/1`, { body: { code: 'x', codes: ['y'], note: 'n' } });
  await api.call('PUT', `/v2/${name}/1`, { body: { code: '12', codes: ['7'] }, headers: { 'if-match': '*' } });
  const early = (await api.call('GET', `/v2/${name}/1`)).headers.get('slipway-version');
  await api.call('PUT', `/v2/${name}/2`, { body: { code: '9007199254740993' } });
  expect((await put(name, types('integer'), '?force=true')).status).toBe(200);
  expect((await api.call('GET', `/v2/${name}/1`)).text).toContain('"code":12,"codes":[7],');
  // The index for the new type is there with it.
  for (const [q, ids] of [
    ['code==12', ['1']],
    ['code>12', ['2']],
    ['codes==7', ['1']],
  ] as const) {
    const { items } = (await api.call('GET', `/v2/${name}/search?q=${encodeURIComponent(q)}`)).body;
    expect([q, items.map(({ id }: { id: string }) => id)]).toEqual([q, ids]);
  }
  // A value of an earlier declaration with another type is left out of a projection.
  const before = await api.call('GET', `/v2/${name}/1?as_of=${Number(early) - 1}&fields=code,note`);
  expect([before.status, before.body.code, before.body.note]).toEqual([200, undefined, 'n']);
  expect((await api.call('GET', `/v2/${name}?as_of=${Number(early) - 1}&order_by=code`)).text).toContain('"code":"x"');
});

test('a declaration can be made on the condition that it is the one that was read', async () => {
  const name = newName();
  const first = await put(name, SPEC, '', { 'if-none-match': '*' });
  expect((await put(name, SKILLS, '', { 'if-none-match': '*' })).status).toBe(412);
  const wider = { fields: { ...SPEC.fields, note: { type: 'text' } } };
  expect((await put(name, wider, '', { 'if-match': first.headers.get('etag') ?? '' })).status).toBe(200);
  expect((await put(name, SPEC, '', { 'if-match': first.headers.get('etag') ?? '' })).status).toBe(412);
});

test('a dataset goes only by its name, and not while another refers to it', async () => {
  const name = newName();
  await put(name, SPEC);
  const refers = newName();
  await put(refers, { fields: { to: { type: 'ref', dataset: name } } });
  await api.call('PUT', `/v2/${name}/7`, { body: { name: 'x' } });
  expect((await api.call('DELETE', `/v2/datasets/${name}`)).status).toBe(400);
  expect((await api.call('DELETE', `/v2/datasets/${name}?confirm=${name}`)).body.code).toBe('entity.restricted');
  expect((await api.call('DELETE', `/v2/datasets/${refers}?confirm=${refers}`)).status).toBe(204);
  expect((await api.call('DELETE', `/v2/datasets/${name}?confirm=${name}`)).status).toBe(204);
  expect((await api.call('GET', `/v2/${name}/7`)).body.code).toBe('dataset.not_found');
  // Declared again, it is empty, and its entities go on counting.
  expect((await put(name, SPEC)).body).toMatchObject({ generation: 2, status: { rows: 0 } });
  expect((await api.call('PUT', `/v2/${name}/7`, { body: { name: 'y' } })).body.version).toBe(2);
});

test('the status says why the newest state is not served', async () => {
  const name = newName();
  await put(name, SPEC);
  const { follower } = api.datasets.get(name).dataset;
  const before = await api.call('GET', `/v2/datasets/${name}`);
  expect(before.body.status.blocked).toBeUndefined();
  await follower.append(() => ({ kind: 'hold', import: 'imp_1' }));
  await follower.append(() => ({ kind: 'discard', import: 'imp_1', blocked: 'there would be 0 rows' }));
  const tag = { 'if-none-match': before.headers.get('etag') ?? '' };
  const after = await api.call('GET', `/v2/datasets/${name}`, { headers: tag });
  const blocked = { import: 'imp_1', message: 'there would be 0 rows', at: follower.at };
  expect([after.status, after.body.status.blocked]).toEqual([200, blocked]);
});

test('another process has what one process made', async () => {
  const other = await startTestReference({ database: api.database, issuer: api.issuer });
  const name = newName();
  await put(name, SPEC);
  const { headers } = await api.call('PUT', `/v2/${name}/1`, { body: { name: 'x' } });
  const deadline = Date.now() + 120_000;
  let reply;
  do
    reply = await other.call('GET', `/v2/${name}/1`, {
      headers: { 'slipway-min-version': headers.get('slipway-version') ?? '' },
    });
  while (reply.status !== 200 && Date.now() < deadline);
  expect(reply.body).toMatchObject({ id: '1', name: 'x' });
  const health = await other.call('GET', '/v2/health', { as: [] });
  expect(health.body.datasets[name]).toMatchObject({ state: 'ready', rows: 1 });
  await other.stop();
});
