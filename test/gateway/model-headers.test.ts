import { expect, test } from 'vitest';
import { startEdge, startModel, wine } from './edge.js';

const INVOKE = '{"columns":["a"],"data":[[1]]}';
const SECURE = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" };

async function answerWith(headers: Record<string, string | string[]>, body = '{}') {
  const model = await startModel(() => ({ body, headers }));
  const edge = await startEdge([wine([model.url])]);
  const reply = await edge.invoke(INVOKE);
  expect([reply.status, await reply.text()]).toEqual([200, body]);
  await edge.stop();
  await model.stop();
  return reply.headers;
}

test.each([
  ['set-cookie', 'session=mine'],
  ['clear-site-data', '"*"'],
  ['service-worker-allowed', '/'],
  ['strict-transport-security', 'max-age=31536000'],
  ['access-control-allow-origin', '*'],
  ['Access-Control-Allow-Credentials', 'true'],
  ['timing-allow-origin', '*'],
  ['alt-svc', 'h2="evil.example:443"'],
  ['refresh', '0; url=https://evil.example/'],
  ['www-authenticate', 'Basic realm="Slipway"'],
  ['report-to', '{"group":"default","endpoints":[{"url":"https://evil.example/"}]}'],
  ['nel', '{"report_to":"default","max_age":86400}'],
  ['reporting-endpoints', 'default="https://evil.example/"'],
])('%s of a model does not reach the origin of the platform', async (name, value) => {
  const headers = await answerWith({ [name]: value });
  expect(headers.has(name)).toBe(false);
  expect(Object.fromEntries(headers)).toMatchObject(SECURE);
});

test('a page of a model is an empty sandbox of a browser, whatever the model says; its type and caching are kept', async () => {
  const kept = {
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': 'inline',
    'cache-control': 'no-store',
    etag: '"1"',
  };
  const headers = await answerWith(
    { ...kept, 'content-security-policy': "script-src 'unsafe-inline'", 'x-content-type-options': 'sniff' },
    '<script>alert(1)</script>',
  );
  expect(Object.fromEntries(headers)).toMatchObject({ ...kept, ...SECURE });
});
