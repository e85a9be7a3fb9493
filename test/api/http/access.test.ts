import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRouter } from '../../../api/app.js';
import { policyRoutes } from '../../../api/http/policy.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

/** Every route that the router knows, as the policy table writes it. */
function routes(): string[] {
  const router = createRouter({ ...api, now: () => new Date(), newId: () => 'id' });
  return router.stack.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
}

const OPEN = [
  'GET /',
  'GET /swagger',
  'GET /swagger/index.html',
  'GET /swagger/reference.html',
  'GET /swagger/page.js',
  'GET /swagger/page.css',
  'GET /swagger/data.json',
  'GET /swagger/:file',
  'GET /.well-known/attestation-keys',
  'GET /.well-known/attestation-keys.pem',
  'POST /api/v1/model/pipeline/:id/webhook',
];
const ANYONE = ['GET /health', 'GET /api/v1/user/info'];
/** Decided by the roles that the run itself names. */
const BY_RUN = /\/run\/:number\/(approve|reject)$/;
const ADMIN_ONLY = [
  'GET /api/v1/model/pipeline/:id/webhook',
  'GET /api/v1/audit',
  'GET /api/v1/connection/:id/decrypted',
];

/** The callers that each route admits, by the table of the guide and not by that of the code. */
function expected(route: string, role: string): boolean {
  const [method = '', path = ''] = route.split(' ');
  if (OPEN.includes(route) || ANYONE.includes(route) || BY_RUN.test(route)) return true;
  if (role === 'admin') return true;
  if (ADMIN_ONLY.includes(route) || path.startsWith('/api/v1/batch/')) return false;
  if (!['data_scientist', 'viewer'].includes(role)) return false;
  // Bodies of calls.
  if (path.startsWith('/api/v1/record/')) return role === 'data_scientist';
  const isWork = /^\/api\/v1\/model\/(training|packaging|deployment|pipeline)/.test(path);
  return method === 'GET' || (isWork && role === 'data_scientist');
}

test('the policy table has a row for every route, and none without a route', () => {
  expect([...policyRoutes].sort()).toEqual([...new Set(routes())].sort());
});

test.each(['admin', 'data_scientist', 'viewer', 'wine-callers', ''])(
  'the role %p may call exactly what the table says',
  async (role) => {
    for (const route of routes()) {
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern.replace(':id', 'nothing-of-that-name').replace(':file', 'swagger-ui.css');
      // The body is no JSON at all: whoever is refused hears of the role first.
      const raw = method === 'POST' || method === 'PUT' ? '{' : undefined;
      const { status, body } = await api.call(method, path, { as: role === '' ? [] : [role], raw });
      if (expected(route, role))
        expect([route, status === 403 && body?.message === 'Forbidden']).toEqual([route, false]);
      else {
        expect([route, status, body.message]).toEqual([route, 403, 'Forbidden']);
        expect(body.errors[0].message).toMatch(new RegExp(`is open to admin.*; the token has ${role || 'no role'}$`));
      }
    }
  },
);

test('without a token every route but the open pages answers 401', async () => {
  for (const route of [...routes(), 'GET /nowhere', 'DELETE /api/v1/connection']) {
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern.replace(':id', 'x').replace(':file', 'swagger-ui.css');
    const { status, headers, body } = await api.call(method, path, { as: null });
    if (OPEN.includes(route)) {
      // The webhook wants a signature instead of a token.
      expect([route, status < 400]).toEqual([route, !route.endsWith('/webhook')]);
      continue;
    }
    expect([route, status, body.message, body.code]).toEqual([route, 401, 'Unauthorized', 'unauthenticated']);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('the words of older role names count', async () => {
  const body = { id: 'x', spec: {} };
  expect((await api.call('POST', '/api/v1/connection', { as: ['odahu_admin'], body })).status).toBe(400);
  expect((await api.call('POST', '/api/v1/connection', { as: ['platform_data_scientist'], body })).status).toBe(403);
});

test('an unknown path is 404, an unknown method 405 with Allow', async () => {
  const nowhere = await api.call('GET', '/nowhere');
  expect([nowhere.status, nowhere.body.message]).toEqual([404, '404 page not found']);
  const wrong = await api.call('PATCH', '/api/v1/connection');
  expect([wrong.status, wrong.body.code, wrong.headers.get('allow')]).toEqual([
    405,
    'method_not_allowed',
    'GET, HEAD, POST, PUT',
  ]);
});

test('every refused request leaves an audit record, a read as well', async () => {
  await api.call('DELETE', '/api/v1/connection/precious', { as: ['viewer'] });
  await api.call('GET', '/api/v1/connection/precious/decrypted', { as: ['viewer'] });
  await api.call('GET', '/api/v1/connection/precious', { as: ['viewer'] }); // allowed, and not there
  const { body } = await api.call('GET', '/api/v1/audit?action=denied&entityId=precious');
  const denied = { action: 'denied', kind: 'Connection', user: { sub: 'tester' } };
  expect(body).toMatchObject([denied, denied]);
});
