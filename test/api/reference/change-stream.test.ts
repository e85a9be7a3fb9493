import { afterAll, beforeAll, expect, test } from 'vitest';
import { declareAll, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
let other: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  other = await startTestReference({ database: api.database, objects: api.objects, issuer: api.issuer });
  await declareAll(api);
});
afterAll(async () => {
  await other.stop();
  await api.stop();
});

interface Received {
  id: string;
  data: { id: string; version: number; operation: string };
}

/** Reads events until there are so many, or until the stream ends. */
async function receive(
  path: string,
  headers: Record<string, string>,
  count: number,
  onEvent = () => {},
): Promise<Received[]> {
  const stop = new AbortController();
  const response = await fetch(`${other.url}${path}`, { headers, signal: stop.signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const events: Received[] = [];
  let rest = '';
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id = '', data = ''] = /^id: (.+)\nevent: change\ndata: (.+)$/.exec(block) ?? [];
      if (id === '') continue;
      events.push({ id, data: JSON.parse(data) as Received['data'] });
      onEvent();
    }
    if (events.length >= count) break;
  }
  stop.abort();
  return events;
}
const bearer = async () => ({ authorization: `Bearer ${await api.tokenOf(['data:read:skills'])}` });
const put = (id: number, name: string) => api.call('PUT', `/v2/skills/${id}`, { body: { name } });
const STREAM = '/v2/datasets/skills/events';

test('changes of another process arrive as they happen, and a new connection goes on after the last event', async () => {
  const before = Number((await put(1, 'one')).headers.get('slipway-version'));
  const receiving = receive(`${STREAM}?after=${before}`, await bearer(), 2);
  await put(2, 'two');
  await api.call('DELETE', '/v2/skills/2', { headers: { 'if-match': '*' } });
  const events = await receiving;
  expect(events.map(({ data }) => [data.id, data.version, data.operation])).toEqual([
    ['2', 1, 'create'],
    ['2', 2, 'delete'],
  ]);
  await put(3, 'three');
  const later = await receive(STREAM, { ...(await bearer()), 'last-event-id': events[0]?.id ?? '' }, 2);
  expect(later.map(({ data }) => [data.id, data.operation])).toEqual([
    ['2', 'delete'],
    ['3', 'create'],
  ]);
});

test('a connection that breaks inside of one entry of the log goes on at its next change', async () => {
  const after = Number((await put(4, 'four')).headers.get('slipway-version'));
  const items = Array.from({ length: 5 }, (_, at) => ({ op: 'put', id: String(100 + at), entity: { name: 'x' } }));
  expect((await api.call('POST', '/v2/skills/batch', { body: items })).status).toBe(200);
  const all = await receive(`${STREAM}?after=${after}`, await bearer(), 5);
  expect(new Set(all.map(({ id }) => id)).size).toBe(5);
  for (const [at, { id }] of all.slice(0, -1).entries()) {
    const rest = await receive(STREAM, { ...(await bearer()), 'last-event-id': id }, 4 - at);
    expect(rest.map((event) => event.data.id)).toEqual(all.slice(at + 1).map((event) => event.data.id));
  }
});

test('the stream of a revoked key ends', async () => {
  const { body } = await api.call('POST', '/v2/keys', { body: { name: 'feed', scopes: ['data:read:skills'] } });
  const after = Number((await put(5, 'five')).headers.get('slipway-version'));
  const path = `${STREAM}?after=${after}`;
  await put(6, 'six');
  while (other.keys.verify(body.secret as string) === undefined) await new Promise(setImmediate);
  let receiving: Promise<Received[]> = Promise.resolve([]);
  await new Promise<void>((resolve) => {
    receiving = receive(path, { 'x-api-key': body.secret as string }, 100, resolve);
  });
  await api.call('DELETE', `/v2/keys/${body.id}`);
  while (other.keys.verify(body.secret as string) !== undefined) await new Promise(setImmediate);
  await put(7, 'seven');
  expect((await receiving).length).toBeLessThan(100);
});

test.each([
  ['', {}, 400],
  ['?after=x', {}, 400],
  ['?after=999999', {}, 404],
  ['', { 'last-event-id': 'abc' }, 400],
  ['', { 'last-event-id': '999999' }, 404],
])('%s with %j is refused', async (query, headers, status) => {
  expect((await api.call('GET', `${STREAM}${query}`, { headers })).status).toBe(status);
});
