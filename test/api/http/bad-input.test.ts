import { afterAll, beforeAll, expect, test } from 'vitest';
import { KIND_ROWS } from '../../../openapi/lifecycle/kinds.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const PATHS = KIND_ROWS.map(({ path }) => `/api/v1${path}`);

test.each([
  ['', 'EOF'],
  ['  \n ', 'EOF'],
  ['{"id": }', 'the body is not valid JSON: line 1, column 8'],
  ['{\n  "id": "a",\n}', 'the body is not valid JSON: line 3, column 1'],
  ['{"id": "a"', 'the body is not valid JSON: line 1, column 11'],
  ['{"id": "a"} x', 'the body is not valid JSON: line 1, column 13'],
  ["{'id': 1}", 'the body is not valid JSON: line 1, column 2'],
  ['// comment\n{}', 'the body is not valid JSON: line 1, column 1'],
])('the body %p is refused with its position', async (raw, message) => {
  for (const method of ['POST', 'PUT']) {
    const { status, body } = await api.call(method, '/api/v1/connection', { raw });
    expect([status, body.code, body.message]).toEqual([400, 'bad_json', message]);
  }
});

test('bytes that are no UTF-8 are refused', async () => {
  const { body } = await api.call('POST', '/api/v1/connection', { raw: Buffer.from([0x7b, 0xff, 0x7d]) });
  expect(body).toMatchObject({ code: 'bad_json', message: 'the body is not valid UTF-8' });
});

test('a megabyte of brackets is refused everywhere, and quickly', async () => {
  const half = 500_000;
  const bombs = ['['.repeat(half) + ']'.repeat(half), '['.repeat(half * 2), '{"a":'.repeat(200_000)];
  for (const raw of bombs) {
    const startedAt = Date.now();
    const { status, body } = await api.call('POST', '/api/v1/model/training', { raw });
    expect([status, body.code]).toEqual([400, 'bad_json']);
    expect(Date.now() - startedAt).toBeLessThan(30_000);
  }
  expect((await api.call('GET', '/health')).status).toBe(200);
});

test('more than a mebibyte is 413', async () => {
  for (const path of PATHS) {
    const { status, body } = await api.call('POST', path, { raw: JSON.stringify({ id: 'x'.repeat(1_048_576) }) });
    expect([path, status, body.code]).toEqual([path, 413, 'too_large']);
  }
});

test('the content type of a request is not looked at', async () => {
  const body = { id: 'typed', spec: { type: 'git', uri: 'https://example.org/x.git' } };
  const headers = { 'content-type': 'text/plain' };
  expect((await api.call('POST', '/api/v1/connection', { body, headers })).status).toBe(201);
});

test('a value of any type anywhere is an answer below 500', async () => {
  const values = [null, true, -1, 1e308, 'text', [null], [[]], { a: { b: [] } }, '\u0000'];
  for (const { path, kind, example } of KIND_ROWS) {
    const { spec } = example as { spec: Record<string, unknown> };
    for (const value of values) {
      const bodies: unknown[] = [
        ...[value, { id: value }, { id: 'x', spec: value }, { kind: value, id: 'x', spec }],
        ...Object.keys(spec).map((key) => ({ id: 'matrix', spec: { ...spec, [key]: value } })),
      ];
      for (const [at, body] of bodies.entries()) {
        const method = at % 2 === 0 ? 'POST' : 'PUT';
        const raw = JSON.stringify(body);
        const { status } = await api.call(method, `/api/v1${path}`, { raw });
        expect([kind, method, raw, status < 500]).toEqual([kind, method, raw, true]);
      }
    }
  }
}, 300_000);

test('a body that names another kind is refused, an unknown word is not', async () => {
  const body = { id: 'kinds', spec: { type: 'git', uri: 'https://example.org/x.git' } };
  expect((await api.call('POST', '/api/v1/connection', { body: { ...body, kind: 'ModelTraining' } })).status).toBe(400);
  expect((await api.call('POST', '/api/v1/connection', { body: { ...body, kind: 'Whatever' } })).status).toBe(201);
});

test('hostile ids in a path are plain 404s', async () => {
  const ids = [
    '%00',
    '..%2F..%2Fetc',
    '%E0%A4%A',
    '$where',
    '__proto__',
    'a%2F1',
    '%7B%22$gt%22:%22%22%7D',
    'x'.repeat(4_000),
  ];
  for (const path of PATHS) {
    for (const id of ids) {
      for (const method of ['GET', 'DELETE']) {
        const { status } = await api.call(method, `${path}/${id}`);
        expect([path, id, status]).toEqual([path, id, 404]);
      }
    }
  }
});
