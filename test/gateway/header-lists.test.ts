import { expect, test } from 'vitest';
import { createUploader } from '../../gateway/uploader.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { startEdge, startModel, wine } from './edge.js';
import { silent } from './silent.js';
import { linesOf } from './stored-records.js';

const CREDENTIALS = [
  'x-api-key',
  'x-forwarded-access-token',
  'x-auth-request-access-token',
  'x-goog-iap-jwt-assertion',
  'x-amzn-oidc-accesstoken',
  'x-amzn-oidc-data',
  'x-ms-token-aad-id-token',
  'cf-access-jwt-assertion',
];
const PERSONS = [
  'x-auth-request-email',
  'x-forwarded-user',
  'x-amzn-oidc-identity',
  'x-ms-client-principal',
  'forwarded',
];
const valued = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'v']));

test('a model gets no credential of its callers, and a record has none and names no person', async () => {
  const received: string[] = [];
  const model = await startModel(({ headers }) => {
    received.push(...Object.keys(headers));
    return { body: '{"prediction":[1]}', headers: { 'x-customer': 'c' } };
  });
  const edge = await startEdge([wine([model.url])], { unrecordedHeaders: ['X-Customer'] });
  const objects = createMemoryObjects();
  const headers = { ...valued([...CREDENTIALS, ...PERSONS]), 'x-customer': 'c', 'x-kept': 'k' };
  await edge.invoke('{"columns":["a"],"data":[[1]]}', headers);
  await createUploader({ spoolDir: edge.spoolDir, objects, log: silent }).runOnce({ all: true });
  expect(received).toEqual(expect.arrayContaining([...PERSONS, 'x-kept', 'x-customer']));
  expect(received.filter((name) => CREDENTIALS.includes(name))).toEqual([]);
  const [record] = await linesOf(objects, 'request_response/');
  const recorded = Object.keys({
    ...(record?.request_http_headers as object),
    ...(record?.response_http_headers as object),
  });
  expect(recorded).toContain('x-kept');
  expect(recorded.filter((name) => [...CREDENTIALS, ...PERSONS, 'x-customer'].includes(name))).toEqual([]);
  await edge.stop();
  await model.stop();
});
