import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test('the page loads nothing from elsewhere, and everything that it names is served', async () => {
  const { text, headers } = await api.call('GET', '/swagger/index.html', { as: null });
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  const files = [...text.matchAll(/(?:src|href|data-definition)="([^"]+)"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    expect(file).toMatch(/^\.\//);
    const reply = await api.call('GET', `/swagger/${file.slice(2)}`, { as: null });
    expect([file, reply.status, reply.text.length > 0]).toEqual([file, 200, true]);
  }
});

test('reference data has a page beside it, of its own document', async () => {
  const { text, status } = await api.call('GET', '/swagger/reference.html', { as: null });
  expect(status).toBe(200);
  expect(text).toContain('data-definition="../v2/openapi.json"');
  expect(text).toContain('href="./index.html"');
});

test('the page logs in where the discovery document of the issuer says, and may talk to nothing else', async () => {
  const { headers } = await api.call('GET', '/swagger/index.html', { as: null });
  expect(headers.get('content-security-policy')).toContain(`connect-src 'self' ${api.testIssuer.url};`);
  const { body } = await api.call('GET', '/swagger/data.json', { as: null });
  const { login } = body.components.securitySchemes;
  expect(login.flows.clientCredentials.tokenUrl).toBe(`${api.testIssuer.url}/token`);
});

test('an issuer that is down takes the login away, not the page', async () => {
  const endpoints = () => Promise.reject(new Error('down'));
  const lone = await startTestApi({ issuer: { ...api.issuer, endpoints } });
  const { headers } = await lone.call('GET', '/swagger/index.html', { as: null });
  expect(headers.get('content-security-policy')).toContain("connect-src 'self';");
  const { body } = await lone.call('GET', '/swagger/data.json', { as: null });
  expect(Object.keys(body.components.securitySchemes)).toEqual(['bearer']);
  await lone.stop();
});

test('no other file of the package can be read', async () => {
  for (const file of ['package.json', '..%2Fpackage.json', '%2Fetc%2Fpasswd', 'absolute-path.js', 'constructor']) {
    expect([file, (await api.call('GET', `/swagger/${file}`, { as: null })).status]).toEqual([file, 404]);
  }
});
