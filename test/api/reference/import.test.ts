import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change } from '../../../reference/dataset/change.js';
import { unavailable } from '../../../platform/kinds/errors.js';
import { declareAll, SKILLS, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
});
afterAll(() => api.stop());

const NDJSON = { 'content-type': 'application/x-ndjson' };
const ROWS = '{"id":"1","name":"Welding"}\n{"id":"2","name":"Rigging"}\n';

async function uploaded(id: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of api.imports.read(id, { start: 0 })) parts.push(part);
  return Buffer.concat(parts).toString();
}

test('one call uploads, starts the run and says where to look', async () => {
  const path = '/v2/skills/imports?mode=replace&dry_run=true&on_error=skip&max_errors=7&announce=at_end';
  const reply = await api.call('POST', path, { raw: ROWS, headers: NDJSON });
  expect(reply.status).toBe(202);
  const { id } = reply.body;
  expect(reply.headers.get('location')).toBe(`/v2/skills/imports/${id}`);
  expect(api.started).toContain(`start ${id}`);
  expect(await uploaded(id)).toBe(ROWS);
  const read = await api.call('GET', `/v2/skills/imports/${id}`);
  const counts = { rows_read: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };
  expect(read.body).toEqual({
    kind: 'Import',
    id,
    dataset: 'skills',
    spec: {
      format: 'ndjson',
      mode: 'replace',
      dry_run: true,
      on_error: 'skip',
      max_errors: 7,
      announce: 'at_end',
    },
    status: { state: 'queued', ...counts, errors: [] },
    created_at: expect.any(String),
    created_by: expect.any(String),
  });
});

test('imports are listed by dataset, the newest first, without the errors of rows', async () => {
  const begin = async (path: string): Promise<string> =>
    (await api.call('POST', `/v2/${path}/imports?format=csv`)).body.id;
  const [first, other, last] = [await begin('positions'), await begin('skills'), await begin('positions')];
  await api.imports.put({
    ...(await api.imports.get(first)),
    state: 'failed',
    errors: [{ line: 1, code: 'entity.invalid', message: 'is wrong' }],
  });
  const { status, body } = await api.call('GET', '/v2/positions/imports');
  expect([status, body.items.map(({ id }: { id: string }) => id)]).toEqual([200, [last, first]]);
  expect(body.items[1]).toMatchObject({
    kind: 'Import',
    dataset: 'positions',
    status: { state: 'failed', errors: [] },
  });
  const { body: one } = await api.call('GET', '/v2/skills/imports?limit=1');
  expect(one.items).toEqual([expect.objectContaining({ id: other })]);
  for (const limit of ['0', '201', 'x']) {
    const refused = await api.call('GET', `/v2/skills/imports?limit=${limit}`);
    expect([limit, refused.status, refused.body.code]).toEqual([limit, 400, 'parameter.invalid']);
  }
  expect((await api.call('GET', '/v2/absent/imports')).status).toBe(404);
});

test('an upload in parts goes on where it broke off', async () => {
  const created = await api.call('POST', '/v2/skills/imports?format=ndjson');
  expect([created.status, created.body.offset]).toEqual([201, 0]);
  const path = `/v2/skills/imports/${created.body.id}`;
  const append = (offset: number | undefined, raw: string) =>
    api.call('PATCH', path, {
      raw,
      headers: offset === undefined ? {} : { 'upload-offset': String(offset) },
    });
  expect((await append(undefined, 'x')).body.code).toBe('parameter.invalid');
  const first = await append(0, ROWS.slice(0, 20));
  expect([first.status, first.body.offset]).toEqual([200, 20]);
  const wrong = await append(10, ROWS.slice(10));
  expect([wrong.status, wrong.body.code, wrong.body.offset]).toEqual([409, 'import.offset', 20]);
  expect((await api.call('GET', path)).body.offset).toBe(20);
  await append(20, ROWS.slice(20));
  expect(await uploaded(created.body.id)).toBe(ROWS);

  const started = await api.call('POST', `${path}/commit`);
  expect([started.status, started.body.status.state]).toEqual([202, 'queued']);
  expect((await append(ROWS.length, 'more')).body).toMatchObject({ code: 'import.state', state: 'queued' });
  // Again, such as after an answer that was lost.
  expect((await api.call('POST', `${path}/commit`)).status).toBe(202);
  expect((await api.imports.get(created.body.id)).size_bytes).toBe(ROWS.length);
});

test('an import whose run cannot be started is queued all the same, and known to the sweep', async () => {
  const importRuns = { start: () => Promise.reject(unavailable('Temporal is away')), cancel: async () => {} };
  const other = await startTestReference({ database: api.database, issuer: api.issuer, changes: { importRuns } });
  await other.datasets.need('skills');
  const reply = await other.call('POST', '/v2/skills/imports', { raw: ROWS, headers: NDJSON });
  expect([reply.status, reply.body]).toEqual([
    503,
    expect.objectContaining({ code: 'store.unavailable', detail: 'Temporal is away' }),
  ]);
  const path = reply.headers.get('location') ?? '';
  expect((await other.call('GET', path)).body.status.state).toBe('queued');
  expect(await other.imports.open()).toContain(path.split('/').at(-1));
  await other.stop();
});

test('while a large import is released, requests are answered from the state before it', async () => {
  await declareAll(api, { places: SKILLS });
  const { dataset } = api.datasets.get('places');
  const [place, held] = ['/v2/places/1', 'imp_large'];
  await api.call('PUT', place, { body: { name: 'before' } });
  await dataset.follower.append(() => ({ kind: 'hold', import: held }));
  const at = '2026-01-01T00:00:00.000Z';
  const change = (n: number): Change => {
    const version = n === 1 ? 2 : 1;
    const body = `{"id":"${n}","name":"after","version":${version},"created_at":"${at}","updated_at":"${at}"}`;
    return { id: String(n), version, at, body, actor: 'test', schema: 1, commit: `c${n}` };
  };
  const all = Array.from({ length: 30_000 }, (_, n) => change(n + 1));
  await dataset.follower.append(() => ({ kind: 'changes', changes: all }));
  let released = false;
  const releasing = dataset.follower.append(() => ({ kind: 'release', import: held })).then(() => (released = true));
  const names: string[] = [];
  while (!released) names.push((await api.call('GET', place)).body.name);
  await releasing;
  // The last one may have been asked before and answered after it.
  expect(names.length).toBeGreaterThan(1);
  expect(names.slice(0, -1).every((name) => name === 'before')).toBe(true);
  const listed = await api.call('GET', '/v2/places?page_size=1');
  expect([listed.body.total_size, listed.body.items[0].name]).toEqual([30_000, 'after']);
});

test('an import that has not started is canceled at once, a run gets a cancellation', async () => {
  const { body: open } = await api.call('POST', '/v2/skills/imports?format=csv');
  const path = `/v2/skills/imports/${open.id}`;
  await api.call('PATCH', path, { raw: 'id,name\n', headers: { 'upload-offset': '0' } });
  expect((await api.call('DELETE', path)).status).toBe(204);
  expect((await api.call('GET', path)).body.status.state).toBe('canceled');
  expect(await uploaded(open.id)).toBe('');
  expect((await api.call('DELETE', path)).body.code).toBe('import.state');

  const { body: queued } = await api.call('POST', '/v2/skills/imports', { raw: ROWS, headers: NDJSON });
  expect((await api.call('DELETE', `/v2/skills/imports/${queued.id}`)).status).toBe(204);
  expect(api.started).toContain(`cancel ${queued.id}`);
});

test.each([
  ['/v2/skills/imports', 'text/plain', 415, 'body.type'],
  ['/v2/skills/imports?format=csv', 'application/x-ndjson', 400, 'parameter.invalid'],
  ['/v2/skills/imports?mode=merge', 'application/x-ndjson', 400, 'parameter.invalid'],
  ['/v2/skills/imports?max_errors=0', 'application/x-ndjson', 400, 'parameter.invalid'],
  ['/v2/skills/imports?skip=1', 'application/x-ndjson', 400, 'parameter.unknown'],
  ['/v2/nothing/imports', 'application/x-ndjson', 404, 'dataset.not_found'],
])('%s with %s is refused', async (path, type, status, code) => {
  const reply = await api.call('POST', path, { raw: ROWS, headers: { 'content-type': type } });
  expect([reply.status, reply.body.code]).toEqual([status, code]);
});

test('an import belongs to its dataset, and takes the right to write', async () => {
  const { body } = await api.call('POST', '/v2/skills/imports', { raw: ROWS, headers: NDJSON });
  expect((await api.call('GET', `/v2/positions/imports/${body.id}`)).body.code).toBe('import.not_found');
  expect((await api.call('GET', '/v2/skills/imports/imp_x')).body.code).toBe('import.not_found');
  const read = await api.call('GET', `/v2/skills/imports/${body.id}`, { as: ['data:read:skills'] });
  expect([read.status, read.body.code]).toEqual([403, 'auth.scope']);
  const other = { raw: ROWS, headers: NDJSON, as: ['data:write:positions'] };
  expect((await api.call('POST', '/v2/skills/imports', other)).status).toBe(403);
});
