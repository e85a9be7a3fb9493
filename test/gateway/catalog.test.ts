import { expect, test } from 'vitest';
import { startEdge, wine } from './edge.js';
import { wineInfo } from './wine-info.js';

const beer = wine([], {
  id: 'beer',
  roleName: 'brewers',
  modelName: 'beer',
  description: 'rates beer',
  info: wineInfo(true),
});
const bare = wine([], { id: 'bare', info: wineInfo(false) });
const old = wine([], { id: 'old' });

/** As much of the document as these tests read. */
interface Shown {
  tags: { name: string; description: string }[];
  'x-slipway-models': unknown[];
  security: unknown;
  paths: Record<string, { post?: { requestBody: { content: Record<string, unknown> } } }>;
  components: { schemas: Record<string, unknown> };
}

async function edgeWith() {
  const edge = await startEdge([wine([], { info: wineInfo(true) }), beer, bare, old]);
  const data = async (...roles: string[]) =>
    fetch(`${edge.url}/service-catalog/swagger/data.json`, { headers: { authorization: await edge.bearer(...roles) } });
  return { ...edge, document: async (...roles: string[]) => (await (await data(...roles)).json()) as Shown };
}

test('the catalog holds each model under its own address and names', async () => {
  const edge = await edgeWith();
  const document = await edge.document('viewer');
  expect(Object.keys(document.paths)).toEqual([
    '/model/bare/api/model/info',
    '/model/bare/api/model/invoke',
    '/model/beer/api/model/info',
    '/model/beer/api/model/invoke',
    '/model/wine/api/model/info',
    '/model/wine/api/model/invoke',
  ]);
  const post = document.paths['/model/wine/api/model/invoke']?.post;
  expect(post).toMatchObject({ operationId: 'wine.invoke', tags: ['wine'] });
  expect(post).not.toHaveProperty('security'); // the document's own holds: a bearer token
  expect(post?.requestBody.content['application/json']).toEqual({
    schema: { $ref: '#/components/schemas/wine.Request' },
    example: { columns: ['alcohol', 'pH'], data: [[9.4, 3.51]] },
  });
  expect(Object.keys(document.components.schemas)).toEqual([
    'bare.Request',
    'bare.Response',
    'beer.Request',
    'beer.Response',
    'wine.Request',
    'wine.Response',
  ]);
  expect(document.security).toEqual([{ bearer: [] }]);
  await edge.stop();
});

test('a model without samples says so, one with a description has it, and one that was never ready is not there', async () => {
  const edge = await edgeWith();
  const { tags, 'x-slipway-models': models } = await edge.document('viewer');
  expect(models).toEqual([
    { id: 'bare', modelName: 'wine model', modelVersion: '1.0', hasSamples: false },
    { id: 'beer', modelName: 'beer', modelVersion: '1.0', hasSamples: true, description: 'rates beer' },
    { id: 'wine', modelName: 'wine model', modelVersion: '1.0', hasSamples: true },
  ]);
  expect(tags.map(({ description }) => description)).toEqual([
    'wine model 1.0 (gives no sample of its input and output)',
    'beer 1.0',
    'wine model 1.0',
  ]);
  await edge.stop();
});

test('the page learns from the issuer where to log in, and may talk to it', async () => {
  const edge = await startEdge([], { findTokenEndpoint: async () => 'https://issuer.test:8443/oauth/token' });
  const login = await fetch(`${edge.url}/service-catalog/swagger/login.json`);
  expect(await login.json()).toEqual({ tokenEndpoint: 'https://issuer.test:8443/oauth/token' });
  const page = await fetch(`${edge.url}/service-catalog/swagger/index.html`);
  expect(page.headers.get('content-security-policy')).toContain("; connect-src 'self' https://issuer.test:8443");
  await edge.stop();
});

test('without an issuer that answers the page asks for a token alone', async () => {
  const edge = await startEdge([]);
  expect(await (await fetch(`${edge.url}/service-catalog/swagger/login.json`)).json()).toEqual({});
  const page = await fetch(`${edge.url}/service-catalog/swagger/index.html`);
  expect([page.status, page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.not.stringContaining('issuer'),
  ]);
  await edge.stop();
});

// prettier-ignore
test.each([
  ['admin',          ['bare', 'beer', 'wine']],
  ['data_scientist', ['bare', 'beer', 'wine']],
  ['viewer',         ['bare', 'beer', 'wine']],
  ['wine-callers',   ['bare', 'wine']],
  ['stranger',       []],
])('%s sees %j', async (role, seen) => {
  const edge = await edgeWith();
  const document = await edge.document(role);
  expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(seen);
  await edge.stop();
});

test('the page is open to read, under both names, and needs nothing from elsewhere; what it shows needs a token', async () => {
  const edge = await edgeWith();
  for (const name of ['swagger', 'catalog']) {
    const page = await fetch(`${edge.url}/service-catalog/${name}/index.html`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await page.text();
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part ?? '');
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      expect(part).toMatch(/^\.\//);
      expect((await fetch(new URL(part, page.url))).status).toBe(200);
    }
  }
  const data = await fetch(`${edge.url}/service-catalog/swagger/data.json`);
  expect([data.status, await data.json()]).toEqual([
    401,
    { message: expect.stringContaining('Unauthorized: no token') },
  ]);
  expect(data.headers.get('www-authenticate')).toBe('Bearer');
  const start = await fetch(`${edge.url}/service-catalog`, { redirect: 'manual' });
  expect(start.headers.get('location')).toBe('/service-catalog/swagger/index.html');
  for (const path of [
    'swagger/..%2f..%2fpackage.json',
    'swagger/package.json',
    'swagger/constructor',
    'x/index.html',
  ]) {
    expect((await fetch(`${edge.url}/service-catalog/${path}`)).status).toBe(404);
  }
  await edge.stop();
});
