import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { declareAll, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
});
afterAll(() => api.stop());

interface Result {
  status: number;
  id?: string;
  etag?: string;
  problem?: { code: string; status: number; errors?: { pointer: string }[] };
}
const batch = async (items: unknown): Promise<Result[]> => {
  const { status, body, text } = await api.call('POST', '/v2/skills/batch', { body: items });
  expect([status, text]).toEqual([200, text]);
  return body.items;
};
const rowOf = async (id: string) => (await api.call('GET', `/v2/skills/${id}`)).body;

test('an empty batch has no results', async () => {
  expect(await batch([])).toEqual([]);
});

test('each result is that of the single call: its status, its tag and the row afterwards', async () => {
  const [created, put, put2] = await batch([
    { op: 'create', entity: { name: 'Created' } },
    { op: 'put', id: '10', entity: { name: 'Put' } },
    { op: 'put', id: '9223372036854775807', entity: { name: 'Largest' } },
  ]);
  expect([created?.status, put?.status, put2?.id]).toEqual([201, 201, '9223372036854775807']);
  for (const { id = '', etag } of [created, put, put2].flatMap((each) => each ?? [])) {
    expect((await api.call('GET', `/v2/skills/${id}`)).headers.get('etag')).toBe(etag);
  }
  const [patched, same, gone] = await batch([
    { op: 'patch', id: '10', if_match: put?.etag, entity: { level: 3 } },
    { op: 'put', id: created?.id, if_match: '*', entity: { name: 'Created' } },
    { op: 'delete', id: '9223372036854775807', if_match: put2?.etag },
  ]);
  expect([patched?.status, same?.status, same?.etag, gone?.status, gone?.etag]).toEqual([
    ...[200, 200, created?.etag, 204, undefined],
  ]);
  expect(await rowOf('10')).toMatchObject({ name: 'Put', level: 3, version: 2 });
});

test('items of one entity are all written, each on the state that it expects', async () => {
  await batch([{ op: 'put', id: '20', entity: { name: 'x', level: 0 } }]);
  const results = await batch(
    Array.from({ length: 10 }, (_, level) => ({ op: 'patch', id: '20', if_match: '*', entity: { level: level + 1 } })),
  );
  expect(results.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect((await rowOf('20')).version).toBe(11);
  const { etag } = (await batch([{ op: 'patch', id: '20', if_match: '*', entity: { level: 99 } }]))[0] ?? {};
  const racing = await batch(
    Array.from({ length: 5 }, (_, level) => ({
      op: 'patch',
      id: '20',
      if_match: etag,
      entity: { level: 200 + level },
    })),
  );
  expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412]);
});

test.each<[what: string, item: unknown, code: string]>([
  ['null', null, 'body.malformed'],
  ['a list', [], 'body.malformed'],
  ['no op', { id: '1', entity: {} }, 'body.malformed'],
  ['an op of another case', { op: 'PUT', id: '1', entity: {} }, 'body.malformed'],
  ['an op of every object', { op: 'constructor' }, 'body.malformed'],
  ['an unknown member', { op: 'delete', id: '1', force: true }, 'body.malformed'],
  ['an id to a creation', { op: 'create', id: '1', entity: { name: 'a' } }, 'body.malformed'],
  ['no id', { op: 'put', entity: { name: 'a' } }, 'body.malformed'],
  ['an id that is none', { op: 'put', id: '0', entity: { name: 'a' } }, 'body.malformed'],
  ['another type of if_match', { op: 'delete', id: '1', if_match: 7 }, 'body.malformed'],
  ['an entity that is too large', { op: 'create', entity: { name: 'x'.repeat(70_000) } }, 'body.too_large'],
  ['an entity with another id', { op: 'put', id: '30', entity: { id: '31', name: 'a' } }, 'entity.invalid'],
  ['an entity that does not fit', { op: 'create', entity: { nmae: 'a' } }, 'entity.invalid'],
  ['an entity that is none', { op: 'create', entity: 'text' }, 'entity.invalid'],
  ['an unknown entity', { op: 'patch', id: '404', entity: {} }, 'entity.not_found'],
  ['a tag of a row that is not there', { op: 'delete', id: '404', if_match: '*' }, 'write.precondition'],
])('%s is the problem of its item alone', async (_, item, code) => {
  const results = await batch([
    { op: 'create', entity: { name: 'before' } },
    item,
    { op: 'create', entity: { name: 'after' } },
  ]);
  expect(results.map(({ status }) => status < 300)).toEqual([true, false, true]);
  const [, refused] = results;
  expect([refused?.problem?.code, refused?.problem?.status]).toEqual([code, refused?.status]);
});

test('an id may be sent as a number, with all its digits', async () => {
  const raw = '[{"op":"put","id":9007199254740993,"entity":{"name":"big"}}]';
  const { body } = await api.call('POST', '/v2/skills/batch', { raw, headers: { 'content-type': 'application/json' } });
  expect(body.items).toMatchObject([{ status: 201, id: '9007199254740993' }]);
});

test('the version of the answer shows every write of the batch', async () => {
  const items = Array.from({ length: 30 }, (_, at) => ({ op: 'put', id: String(500 + at), entity: { name: 'v' } }));
  const { headers } = await api.call('POST', '/v2/skills/batch', { body: items });
  const version = headers.get('slipway-version') ?? '';
  const ids = items.map(({ id }) => id).join();
  const read = await api.call('GET', `/v2/skills?ids=${ids}&as_of=${version}`);
  expect(read.body.items).toHaveLength(30);
});

test('a batch has the effect of its items, one after the other, wherever they are about different rows', async () => {
  let next = 1_000;
  const op = fc.constantFrom('put', 'patch', 'delete', 'wrong');
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 12 }), async (ops) => {
      const from = (next += 100);
      const ids = ops.map((_, at) => String(from + at));
      await batch(ids.map((id) => ({ op: 'put', id, entity: { name: 'first', level: 1 } })));
      const results = await batch(
        ops.map((kind, at) => ({
          ...{ op: kind === 'wrong' ? 'put' : kind, id: ids[at], if_match: '*' },
          ...(kind !== 'delete' && { entity: kind === 'wrong' ? { level: 'x' } : { name: 'second' } }),
        })),
      );
      expect(results.map(({ status }) => status)).toEqual(
        ops.map((kind) => ({ put: 200, patch: 200, delete: 204, wrong: 422 })[kind]),
      );
      const { body } = await api.call('GET', `/v2/skills?ids=${ids.join()}`);
      const shown = new Map(body.items.map((row: { id: string; name: string; level?: number }) => [row.id, row]));
      for (const [at, kind] of ops.entries()) {
        const expected = { put: ['second', undefined], patch: ['second', 1], delete: undefined, wrong: ['first', 1] }[
          kind
        ];
        const row = shown.get(ids[at]) as { name: string; level?: number } | undefined;
        expect([kind, row && [row.name, row.level]]).toEqual([kind, expected]);
      }
    }),
    { numRuns: 15 },
  );
});
