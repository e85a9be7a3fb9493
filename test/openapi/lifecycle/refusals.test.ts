import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocument } from '../../../openapi/lifecycle/document.js';
import { EXAMPLES } from '../../../openapi/lifecycle/examples.js';
import { startTestApi, type TestApi } from '../../api/test-api.js';
import { asRead, type Operation, operationsOf } from '../operations.js';

const operations = operationsOf(asRead(createDocument({ version: '1' })));
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

type Options = NonNullable<Parameters<TestApi['call']>[2]>;
const places: Record<string, string> = { kind: 'training', number: '1', id: 'absent' };
/** Sends a request; the test API holds every reply against the document. */
const send = ({ method, path }: Operation, options: Options = {}) =>
  api.call(
    method,
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? 'none'),
    options,
  );
const rows = (list: readonly Operation[]) => list.map((operation) => ({ id: operation.id, operation }));

// The health of the service and public keys are open, and a webhook has a signature of its own.
const open = ['getHealth', 'callPipelineWebhook', 'getAttestationKeys', 'getAttestationKeysPem'];
const secured = operations.filter(({ id }) => !open.includes(id));
const writes = secured.filter(({ method }) => method !== 'GET');
const withBody = writes.filter(({ operation }) => operation.requestBody !== undefined);

test('most operations need a token, and many of them write', () => {
  expect([secured.length > 60, writes.length > 30, withBody.length > 15]).toEqual([true, true, true]);
});

test.each(rows(secured))('$id needs a token, and says nothing else without one', async ({ operation }) => {
  const attempts: Options[] = [
    { as: null },
    { as: null, headers: { authorization: 'Bearer x.y.z' } },
    { as: null, headers: { authorization: 'Basic YTpi' } },
    { as: null, headers: { authorization: 'Bearer' } },
  ];
  for (const options of attempts) {
    const { status, body, headers } = await send(operation, options);
    expect([operation.id, status, body.code]).toEqual([operation.id, 401, 'unauthenticated']);
    expect(headers.get('www-authenticate')).toContain('Bearer');
    // Nothing but the token is examined.
    const codes = body.errors.map(({ code }: { code: string }) => code);
    expect(codes).toEqual([expect.stringMatching(/^token_(missing|invalid)$/)]);
  }
});

// A decision goes by the approvers that its pipeline names.
const byRole = writes.filter(({ id }) => !/^(approve|reject)/.test(id));

test.each(rows(byRole))(
  '$id is refused to a role that may only read, before its body is looked at',
  async ({ operation }) => {
    for (const as of [['viewer'], []]) {
      const { status, body } = await send(operation, { as, raw: '{', headers: { 'content-type': 'application/json' } });
      expect([operation.id, status, body.code]).toEqual([operation.id, 403, 'forbidden']);
    }
  },
);

test.each(rows(withBody))('$id refuses a body that is larger than any resource', async ({ operation }) => {
  const raw = `{"id":"${'x'.repeat(2 ** 20)}"}`;
  const { status, body } = await send(operation, { raw, headers: { 'content-type': 'application/json' } });
  expect([operation.id, status, body.code]).toEqual([operation.id, 413, 'too_large']);
});

test.each(rows(operations))('$id answers with the id that the client gave the request', async ({ operation }) => {
  const { headers } = await send(operation, { as: null, headers: { 'x-request-id': 'client-7' } });
  expect(headers.get('x-request-id')).toBe('client-7');
});

test.each(['a b', 'x'.repeat(300), '<script>', '../..', '${jndi}', '"'])(
  'a request id %j that does not fit in a log is replaced',
  async (given) => {
    const [operation] = operations;
    if (operation === undefined) throw new Error('there are operations');
    const { headers } = await send(operation, { headers: { 'x-request-id': given } });
    expect(headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
    expect(headers.get('x-request-id')).not.toBe(given);
  },
);

const lists = operations.filter(
  ({ id, parameters }) => /^list/.test(id) && parameters.some(({ name }) => name === 'page'),
);

test.each(rows(lists))('$id counts all matches, whatever the page', async ({ operation: { path, id } }) => {
  const address = path.replaceAll(/\{(\w+)\}/g, 'absent');
  const [whole, none] = [await api.call('GET', address), await api.call('GET', `${address}?size=0`)];
  if (whole.status === 404) return; // a list of a resource that is not there
  const total = whole.headers.get('x-total-count');
  expect([id, total, none.headers.get('x-total-count'), none.body]).toEqual([id, String(whole.body.length), total, []]);
  const beyond = await api.call('GET', `${address}?size=1&page=9999`);
  expect([beyond.status, beyond.body, beyond.headers.get('link')]).toEqual([200, [], null]);
});

test('the links of a list lead through all of it, each resource once', async () => {
  for (const id of ['code-1', 'code-2', 'code-3', 'code-4', 'code-5']) {
    const body = { ...EXAMPLES.connection, id };
    expect((await api.call('POST', '/api/v1/connection', { body })).status).toBe(201);
  }
  for (const size of [1, 2, 3, 5, 7]) {
    const ids: string[] = [];
    for (let next: string | undefined = `/api/v1/connection?size=${size}`; next !== undefined;) {
      const { body, headers } = await api.call('GET', next);
      ids.push(...body.map((each: { id: string }) => each.id));
      const [, link] = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '') ?? [];
      // A link is relative to the address of its page.
      const { pathname, search }: Partial<URL> = link === undefined ? {} : new URL(link, `${api.url}${next}`);
      next = pathname && `${pathname}${search}`;
    }
    const whole = (await api.call('GET', '/api/v1/connection')).body.map((each: { id: string }) => each.id);
    expect([size, ids]).toEqual([size, whole]);
    expect(whole.length).toBeGreaterThanOrEqual(5);
  }
});

test('a write that names an older state is refused, and one that is repeated under its key is answered once', async () => {
  const spec = { ...EXAMPLES.connection.spec, description: 'another one' };
  const body = { ...EXAMPLES.connection, id: 'code-1', spec };
  const put = (headers: Record<string, string>) => api.call('PUT', '/api/v1/connection', { body, headers });
  const etag = (await api.call('GET', '/api/v1/connection/code-1')).headers.get('etag') ?? '';
  expect((await put({ 'if-match': etag })).status).toBe(200);
  const stale = await put({ 'if-match': etag });
  expect([stale.status, stale.body.code]).toEqual([412, 'revision_mismatch']);
  const key = { 'idempotency-key': 'create-9' };
  const create = (id: string) => api.call('POST', '/api/v1/connection', { body: { ...body, id }, headers: key });
  const [first, again, other] = [await create('code-9'), await create('code-9'), await create('code-10')];
  expect([first.status, again.status, other.status]).toEqual([201, 201, 422]);
  expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body]);
});
