import { afterAll, beforeAll, expect, test } from 'vitest';
import { declareAll, SKILLS, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
/** Another process on the same stores. */
let other: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  other = await startTestReference({ database: api.database, objects: api.objects, issuer: api.issuer });
});
afterAll(async () => {
  await other.stop();
  await api.stop();
});

let count = 0;
/** A dataset of its own, in which every write is one version. */
async function newDataset() {
  const name = `skills_${(count += 1)}`;
  await declareAll(api, { [name]: SKILLS });
  const put = async (id: string, word: string): Promise<number> => {
    const read = await api.call('GET', `/v2/${name}/${id}`);
    const etag = read.headers.get('etag');
    const headers: Record<string, string> = etag === null ? {} : { 'if-match': etag };
    const reply = await api.call('PUT', `/v2/${name}/${id}`, { body: { name: word }, headers });
    expect(reply.status).toBeLessThan(300);
    return Number(reply.headers.get('slipway-version'));
  };
  const remove = async (id: string): Promise<number> => {
    const etag = (await api.call('GET', `/v2/${name}/${id}`)).headers.get('etag') ?? '';
    const reply = await api.call('DELETE', `/v2/${name}/${id}`, { headers: { 'if-match': etag } });
    expect(reply.status).toBe(204);
    return Number(reply.headers.get('slipway-version'));
  };
  const seen = async (process: TestReference, id: string) => {
    const reply = await process.call('GET', `/v2/${name}/${id}`);
    return [reply.body.name, reply.headers.get('slipway-version'), reply.headers.get('slipway-pinned')];
  };
  return { name, put, remove, seen };
}

async function eventually<T>(look: () => Promise<T>, wanted: T): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await new Promise((done) => setTimeout(done, 20))) {
    const found = await look();
    if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    if (Date.now() > deadline) expect(found).toEqual(wanted);
  }
}

test('a pin takes readers of every process back, while writes go on, until it is taken away', async () => {
  const { name, put, seen } = await newDataset();
  const first = await put('1', 'good');
  const second = await put('1', 'bad');
  const path = `/v2/datasets/${name}`;
  const pinned = await api.call('POST', `${path}/pin`, { body: { version: first, reason: 'a bad load' } });
  expect(pinned.status).toBe(200);
  expect(pinned.body.status).toMatchObject({ version: first, pinned: { version: first, reason: 'a bad load' } });
  const old = ['good', String(first), String(first)];
  expect(await seen(api, '1')).toEqual(old);
  await eventually(() => seen(other, '1'), old);
  const list = await other.call('GET', `/v2/${name}`);
  expect([list.body.items[0].name, list.body.dataset_version]).toEqual(['good', first]);
  const found = await other.call('GET', `/v2/${name}/search?q=name==bad`);
  expect(found.body.items).toEqual([]);

  // A write names what it changes by the newest version, which readers can ask for.
  const newest = await api.call('GET', `/v2/${name}/1?as_of=${second}`);
  const headers = { 'if-match': newest.headers.get('etag') ?? '' };
  const third = await api.call('PUT', `/v2/${name}/1`, { body: { name: 'better' }, headers });
  expect([third.status, third.body.version]).toEqual([200, 3]);
  expect((await seen(api, '1'))[0]).toBe('good');

  expect((await api.call('POST', `${path}/unpin`)).body.status.pinned).toBeUndefined();
  expect(await seen(api, '1')).toEqual(['better', third.headers.get('slipway-version'), null]);
  await eventually(async () => (await seen(other, '1'))[0], 'better');
  expect((await api.call('POST', `${path}/unpin`)).status).toBe(200); // again: nothing to do
});

test.each([
  [{ version: 99, reason: 'x' }, 410, 'version.not_retained'],
  [{ version: 0, reason: 'x' }, 410, 'version.not_retained'],
  [{ version: '1', reason: 'x' }, 400, 'body.malformed'],
  [{ version: 1 }, 400, 'body.malformed'],
])('%j pins nothing', async (body, status, code) => {
  const { name } = await newDataset();
  const reply = await api.call('POST', `/v2/datasets/${name}/pin`, { body });
  expect([reply.status, reply.body.code]).toEqual([status, code]);
});

test('pins are for those who may declare', async () => {
  const { name } = await newDataset();
  const body = { version: 1, reason: 'x' };
  const reply = await api.call('POST', `/v2/datasets/${name}/pin`, { body, as: ['data:write:*', 'data:read:*'] });
  expect(reply.body.code).toBe('auth.scope');
  expect((await api.call('POST', `/v2/datasets/${name}/unpin`, { as: ['data:write:*'] })).status).toBe(403);
});

test('versions are listed from the newest down, with what each did', async () => {
  const { name, put } = await newDataset();
  await put('1', 'a');
  await api.call('POST', `/v2/datasets/${name}/pin`, { body: { version: 2, reason: 'why' } });
  await api.call('POST', `/v2/datasets/${name}/unpin`);
  const all = await api.call('GET', `/v2/datasets/${name}/versions`);
  expect(all.body.items.map(({ version, kind }: Record<string, unknown>) => [version, kind])).toEqual([
    [4, 'unpin'],
    [3, 'pin'],
    [2, 'changes'],
    [1, 'schema'],
  ]);
  expect(all.body.items[1]).toMatchObject({ pinned: 2, reason: 'why' });
  expect(all.body.items[2]).toMatchObject({ changes: 1, actors: [expect.any(String)] });
  const first = await api.call('GET', `/v2/datasets/${name}/versions?limit=3`);
  expect([first.body.items.length, first.body.next_before]).toEqual([3, 2]);
  const rest = await api.call('GET', `/v2/datasets/${name}/versions?before=2`);
  expect(rest.body).toEqual({ items: [all.body.items[3]] });
});

test('changes are read on from a position, each once and in order', async () => {
  const { name, put, remove } = await newDataset();
  const path = `/v2/datasets/${name}/changes`;
  const [created, changed] = [await put('9007199254740993', 'a'), await put('9007199254740993', 'b')];
  const head = await api.call('GET', `${path}?after=0`);
  expect(head.body.next_after).toBe(changed);
  expect(head.body.items).toMatchObject([
    { dataset_version: created, id: '9007199254740993', version: 1, operation: 'create', changed: [] },
    {
      dataset_version: changed,
      id: '9007199254740993',
      version: 2,
      operation: 'update',
      changed: ['name'],
      previous: { name: 'a' },
      entity: { name: 'b' },
    },
  ]);
  const removed = await remove('9007199254740993');
  const next = await api.call('GET', `${path}?after=${head.body.next_after}`);
  expect(next.body).toMatchObject({ items: [{ dataset_version: removed, operation: 'delete', entity: null }] });
  expect((await api.call('GET', `${path}?after=${removed}`)).body).toEqual({ items: [], next_after: removed });
  expect((await api.call('GET', path)).body.code).toBe('parameter.invalid');
});

test('two versions are compared', async () => {
  const { name, put, remove } = await newDataset();
  const ids = ['1', '2', '3', '9223372036854775807'] as const;
  let before = 0;
  for (const id of ids) before = await put(id, 'a');
  await put('2', 'b');
  await put('2', 'c');
  await remove('3');
  await put('4', 'new');
  await put('5', 'new');
  const after = await remove('5'); // came and went
  const path = `/v2/datasets/${name}/diff`;
  const { body } = await api.call('GET', `${path}?from=${before}&to=${after}`);
  expect(body).toEqual({
    from: before,
    to: after,
    counts: { create: 1, update: 1, delete: 1, total: 3 },
    items: [
      { id: '2', operation: 'update', from_version: 1, to_version: 3 },
      { id: '3', operation: 'delete', from_version: 1, to_version: null },
      { id: '4', operation: 'create', from_version: null, to_version: 1 },
    ],
  });
  const rest = await api.call('GET', `${path}?from=${before}&to=${after}&after=2`);
  expect(rest.body.items.map(({ id }: { id: string }) => id)).toEqual(['3', '4']);
  expect((await api.call('GET', `${path}?from=${after}&to=${before}`)).body.code).toBe('parameter.invalid');
  expect((await api.call('GET', `${path}?from=1`)).body.code).toBe('parameter.invalid');
});
