import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApi } from './test-api.js';
import type { TestApi } from './test-api.js';

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

test('no other file of the package can be read', async () => {
  for (const file of ['package.json', '..%2Fpackage.json', '%2Fetc%2Fpasswd', 'absolute-path.js', 'constructor']) {
    expect([file, (await api.call('GET', `/swagger/${file}`, { as: null })).status]).toEqual([file, 404]);
  }
});
